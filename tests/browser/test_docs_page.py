"""The page that shows the API, as a person meets it."""

from collections.abc import Iterator

import pytest
from palimpsest.api.operations import OPERATIONS

from tests.browser.browser import Browser, running_browser
from tests.polling import wait_until

pytestmark = pytest.mark.browser

WHOAMI = '.opblock[id$="whoami"]'


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with running_browser(tmp_path_factory.mktemp("browser")) as running:
        yield running


def open_page(browser: Browser, url: str) -> list[str]:
    browser.open(f"{url}/v1/docs")
    return wait_until(lambda: browser.texts(".opblock-summary-path"), "the page is drawn")


def test_every_operation_is_shown_without_a_complaint(browser, laptop):
    paths = open_page(browser, laptop.run["url"])

    # A zero-width space stands before each slash, so that a long path can wrap.
    shown = [path.replace("\u200b", "") for path in paths]
    assert sorted(shown) == sorted(operation.path for operation in OPERATIONS)
    assert browser.texts(".errors-wrapper") == []
    assert browser.complaints() == []


def test_nothing_is_loaded_from_elsewhere(browser, laptop):
    open_page(browser, laptop.run["url"])

    loaded = browser.run("return performance.getEntriesByType('resource').map(r => r.name)")

    assert [url for url in loaded if not url.startswith((laptop.run["url"], "data:"))] == []


def test_a_person_can_try_it_with_their_token(browser, tenant):
    open_page(browser, tenant.laptop.run["url"])

    browser.click(".btn.authorize")
    browser.type(".auth-container input", str(tenant.admin.token))
    browser.click(".auth-btn-wrapper .authorize")
    browser.click(".auth-btn-wrapper .btn-done")
    browser.click(f"{WHOAMI} .opblock-summary-control")
    browser.click(f"{WHOAMI} .execute")
    answers = wait_until(
        lambda: browser.texts(f"{WHOAMI} .live-responses-table .response-col_description"),
        "the answer is shown",
    )

    assert tenant.id in answers[-1]
    assert browser.texts(f"{WHOAMI} .live-responses-table .response .response-col_status") == [
        "200"
    ]
