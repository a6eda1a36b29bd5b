//! The pictures on displays, and the lanes of transfers on their wires.

use std::path::Path;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::timeline::run;
use crate::{page, place, tools};

/// The pixels of picture `index` of the strip, as `[width, height, lit, box]`: those that are lit, and those of the box of
/// frame `index`, which is 16 pixels wide and high.
async fn pixels(browser: &Browser, index: usize) -> Value {
    let script = "const image = document.querySelectorAll('.strip img')[arguments[0]];
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
        const context = canvas.getContext('2d', {willReadFrequently: true});
        context.drawImage(image, 0, 0);
        const lit = (x, y, width, height) => {
            const bytes = context.getImageData(x, y, width, height).data;
            return bytes.filter((byte, at) => at % 4 === 0 && byte > 127).length;
        };
        return [canvas.width, canvas.height, lit(0, 0, canvas.width, canvas.height), lit(4 + 13 * arguments[0], 35, 16, 16)]";
    browser.run(script, vec![json!(index)]).await
}

/// The strip has `count` pictures, which are seen, and on each the box is where its frame has it. The timeline has a lane of
/// `line`'s transfers, drawn, and says that the wire of its `clock` has none.
async fn shows(browser: &Browser, page: &Path, count: usize, line: &str, clock: &str) {
    browser.open(page).await;
    browser.show(".strip").await;
    let texts = browser.texts(".strip li").await;
    assert_eq!(texts.len(), count, "{texts:?}");
    let times: Vec<f64> =
        texts.iter().map(|text| text.trim_end_matches(" ms").parse().expect("a time in milliseconds")).collect();
    assert!(times.is_sorted() && times[0] > 0.0, "{times:?}");
    for index in 0..count {
        let found = pixels(browser, index).await;
        let number = |at: usize| found[at].as_u64().expect("a number of pixels");
        assert_eq!([number(0), number(1), number(3)], [128, 64, 256], "picture {index}");
        assert!((600..1200).contains(&number(2)), "picture {index}: {found}");
    }
    let seen = "return [...document.querySelectorAll('.strip img')].every((image) => image.getBoundingClientRect().width >= 128)";
    assert_eq!(browser.run(seen, Vec::new()).await, json!(true), "the pictures have a size");

    browser.show("[data-chart=timeline]").await;
    browser.find(".plot[data-from] .main-svg").await;
    let label = browser.find(".plot[data-from]").await.attr("aria-label").await.expect("the page answers");
    assert!(label.as_ref().is_some_and(|label| label.contains(line)), "{label:?}");
    let legend = browser.texts("[data-chart=timeline] .legend li").await;
    assert!(legend.iter().any(|name| name == "transfer"), "{legend:?}");
    let said = browser.texts("[data-chart=timeline] .left-out").await.concat();
    assert!(said.starts_with(clock) && said.contains("no lane: too many edges."), "{said}");
}

#[tokio::test]
async fn a_strip_has_the_pictures_of_a_display_and_the_timeline_its_transfers() {
    let experiment =
        page("display", &[&["display", "--mode", "spi", "--chip", "stm32c031c6", "--contender", "crates-pac"]], &[]);
    let image = "display-c-registers-i2c-400-3-stm32c031c6";
    let i2c = run(image, "300ms", &["--attach", "ssd1306@scl=PB8,sda=PB9"]);
    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::start().await;
    browser.dark(false).await;
    browser.size(1280, 1000).await;
    shows(&browser, &experiment, 8, "SPI1", "PA5").await;
    browser.show(".strip").await;
    browser.picture(&place().join("strip.png")).await;
    shows(&browser, &i2c, 8, "I2C1", "PB8").await;
    browser.show("[data-chart=timeline]").await;
    browser.picture(&place().join("transfers.png")).await;
    // More pictures than fit are scrolled inside their strip, on a phone too.
    browser.size(390, 844).await;
    browser.open(&experiment).await;
    browser.show(".strip").await;
    assert!(browser.number("document.documentElement.scrollWidth - innerWidth").await <= 0.0);
    let hidden = "document.querySelector('.strip ol').scrollWidth - document.querySelector('.strip ol').clientWidth";
    assert!(browser.number(hidden).await > 0.0);
    browser.finish().await;
}
