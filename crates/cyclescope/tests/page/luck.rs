//! Whiskers over other layouts of a program.

use serde_json::Value;

use crate::browser::Browser;
use crate::{page, place, tools};

#[tokio::test]
async fn whiskers_reach_over_the_layouts_that_a_program_ran_in() {
    const LAYOUTS: usize = 4;
    let luck = format!("--luck={LAYOUTS}");
    let run =
        ["switch", "--chip", "stm32f446ze", "--contender", "c-loop", "--contender", "freertos", "--opt", "3", &luck];
    let page = page("luck", &[&run], &[]);
    // The records say how far: of the figure and the layouts, the least and the greatest.
    let records = std::fs::read_to_string(place().join("luck-0.json")).expect("it was written");
    let records: Value = serde_json::from_str(&records).expect("it is JSON");
    let records = records["records"].as_array().expect("they are a list");
    let row = |record: &&Value| record["metric"] == "switch" && record["params"]["row"] == "CoroutineScheduling";
    let mut ranges: Vec<(f64, f64, f64)> = Vec::new();
    for record in records.iter().filter(row) {
        let layouts = record["layouts"].as_array().expect("it ran in others").iter();
        let layouts: Vec<f64> = layouts.map(|figure| figure.as_f64().expect("a number")).collect();
        assert_eq!((layouts.len(), &record["layouts"][0]), (LAYOUTS + 1, &record["mean"]));
        let range = layouts.iter().fold((f64::MAX, 0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
        ranges.push((layouts[0], layouts[0] - range.0, range.1 - layouts[0]));
    }
    assert!(ranges.iter().any(|(_, below, above)| below + above > 0.0), "placement changes nothing: {ranges:?}");

    if !tools::wanted("chromedriver") {
        return;
    }
    let browser = Browser::at(&page, (1280, 1000)).await;
    browser.show("#switch-switch").await;
    browser.find("#switch-switch[aria-label*='Whiskers reach']").await;
    browser.find("#switch-switch path.xerror").await;
    browser.picture(&place().join("luck.png")).await;
    let drawn = "return document.getElementById('switch-switch').data.flatMap((trace) => trace.x.map((x, at) => \
                 [x, trace.error_x.arrayminus[at], trace.error_x.array[at]]))";
    let drawn = browser.run(drawn, Vec::new()).await;
    let drawn: Vec<Vec<Option<f64>>> = serde_json::from_value(drawn).expect("three numbers each");
    for (own, below, above) in ranges {
        let same = |bar: &&Vec<Option<f64>>| bar[0].is_some_and(|x| (x - own).abs() < 1e-9);
        let bar = drawn.iter().find(same).unwrap_or_else(|| panic!("no bar of {own}: {drawn:?}"));
        let near = |drawn: Option<f64>, known: f64| drawn.is_some_and(|drawn| (drawn - known).abs() < 1e-6);
        assert!(near(bar[1], below) && near(bar[2], above), "{bar:?} for {own} -{below} +{above}");
    }
    browser.click("#switch .table tbody tr:first-child button.number").await;
    browser.find("dialog[open]").await;
    let told = browser.texts("dialog").await.concat();
    assert!(told.contains(&format!("in {LAYOUTS} other layouts")), "{told}");
    browser.finish().await;
}
