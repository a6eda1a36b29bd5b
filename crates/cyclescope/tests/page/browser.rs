//! A headless Chromium, driven through chromedriver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

/// The longest wait before a step counts as broken. No wait takes that long when all is well.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Collects what goes wrong from before the page's first script on.
const WITNESS: &str = "
window.wrongs = [];
addEventListener('error', (event) => wrongs.push(`error: ${event.message}`), true);
addEventListener('unhandledrejection', (event) => wrongs.push(`rejection: ${event.reason}`));
addEventListener('securitypolicyviolation', (event) => wrongs.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
for (const level of ['error', 'warn']) console[level] = (...words) => wrongs.push(`${level}: ${words.join(' ')}`);
";

/// A browser with one page.
pub struct Browser {
    driver: Child,
    port: u16,
    pub client: Client,
}

/// A command that Chromium's driver has beyond the standard.
#[derive(Debug)]
struct Vendor(&'static str, Value);

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.0))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.1.to_string()))
    }
}

impl Browser {
    /// Starts both programs. Without them a page cannot be tested, and the test fails.
    pub async fn start() -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts; on Debian: apt-get install chromium chromium-driver");
        let lines = BufReader::new(driver.stdout.take().expect("its output is a pipe")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("chromedriver names its port");
        let options = json!({"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]});
        let wanted = json!({"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}});
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted.as_object().expect("it is an object").clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("Chromium starts");
        let browser = Self { driver, port, client };
        browser.tell("Page.addScriptToEvaluateOnNewDocument", json!({"source": WITNESS})).await;
        browser
    }

    /// A command of the Chrome DevTools Protocol.
    pub async fn tell(&self, command: &str, parameters: Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.client.issue_cmd(Vendor("goog/cdp/execute", body)).await.expect("DevTools answer")
    }

    /// The page is so many pixels wide and high.
    pub async fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.tell("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Sets the system's theme to dark or light.
    pub async fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([
            {"name": "prefers-color-scheme", "value": value},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]);
        self.tell("Emulation.setEmulatedMedia", json!({"features": features})).await;
    }

    /// Starts with `page` in a window of this size, in light colours.
    pub async fn at(page: &Path, (width, height): (u32, u32)) -> Self {
        let browser = Self::start().await;
        browser.size(width, height).await;
        browser.dark(false).await;
        browser.open(page).await;
        browser
    }

    /// Opens a file and waits until its scripts have done their first work.
    pub async fn open(&self, path: &Path) {
        let url = Url::from_file_path(path).expect("the path is absolute");
        self.client.goto(url.as_str()).await.expect("the file opens");
        self.find("html[data-ready=true]").await;
    }

    /// The first element of a selector, once there is one.
    pub async fn find(&self, selector: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(selector)).await;
        match found {
            Ok(element) => element,
            Err(error) => panic!("{selector}: {error}; {:?}", self.wrongs().await),
        }
    }

    /// Scrolls to the first element of a selector: charts are drawn when they are about to be seen.
    pub async fn show(&self, selector: &str) {
        let element = self.find(selector).await;
        self.run("arguments[0].scrollIntoView({block: 'center'})", vec![json!(element)]).await;
    }

    /// Clicks the first element of a selector, which the page scrolls to. A chart above it that is drawn just then moves it away, so
    /// that the page scrolls once more.
    pub async fn click(&self, selector: &str) {
        const CHARTS: usize = 20;
        for left in (0..CHARTS).rev() {
            self.show(selector).await;
            match self.find(selector).await.click().await {
                Ok(()) => return,
                Err(error) if left == 0 || !error.to_string().contains("click intercepted") => {
                    panic!("{selector}: {error}")
                }
                Err(_) => {}
            }
        }
    }

    /// Presses a key where the focus is.
    pub async fn press(&self, key: Key) {
        let text = char::from(key).to_string();
        self.type_text(&text).await;
    }

    /// Types where the focus is.
    pub async fn type_text(&self, text: &str) {
        let focus = self.client.active_element().await.expect("something has the focus");
        focus.send_keys(text).await.expect("keys arrive");
    }

    /// Runs a script in the page.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(script, arguments).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// A number that an expression has in the page.
    pub async fn number(&self, expression: &str) -> f64 {
        let value = self.run(&format!("return {expression}"), Vec::new()).await;
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// The texts of all elements of a selector.
    pub async fn texts(&self, selector: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)";
        let texts = self.run(script, vec![json!(selector)]).await;
        serde_json::from_value(texts).expect("they are texts")
    }

    /// Everything that went wrong in the page, by its own witness and by the browser's log.
    pub async fn wrongs(&self) -> Vec<String> {
        let seen = self.client.execute("return window.wrongs", Vec::new()).await.unwrap_or(Value::Null);
        let log = self.client.issue_cmd(Vendor("se/log", json!({"type": "browser"}))).await.unwrap_or(Value::Null);
        let seen = seen.as_array().cloned().unwrap_or_else(|| vec![json!("the page has no witness")]);
        let log = log.as_array().cloned().unwrap_or_default();
        seen.iter().chain(log.iter().filter(|line| line["level"] != "DEBUG")).map(ToString::to_string).collect()
    }

    /// Writes a picture of the screen into a PNG file.
    pub async fn picture(&self, path: &Path) {
        let bytes = self.client.screenshot().await.expect("the browser takes a picture");
        std::fs::write(path, bytes).expect("the picture is written");
    }

    /// Checks that nothing went wrong, and ends both programs.
    pub async fn finish(self) {
        let wrongs = self.wrongs().await;
        assert!(wrongs.is_empty(), "{wrongs:#?}");
        self.client.clone().close().await.expect("the session ends");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // After a failure too: a driver that is asked to go takes its browsers along, one that is killed leaves them.
        let ask = || -> std::io::Result<()> {
            let mut line = TcpStream::connect(("127.0.0.1", self.port))?;
            write!(line, "GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
            line.read_to_end(&mut Vec::new())?;
            Ok(())
        };
        if ask().is_err() {
            let _ = self.driver.kill();
        }
        let _ = self.driver.wait();
    }
}
