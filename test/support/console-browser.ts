import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'

/** Chromium of the system; undefined where there is none. */
export const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ ...(CHROMIUM !== undefined && { executablePath: CHROMIUM }), args: ['--no-sandbox'] })
}

/** A page in a browser context of its own. `errors` gets what scripts, the policy of contents, and dialogs report. */
export async function openPage(browser: Browser, errors: string[], options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('dialog', (dialog) => {
    errors.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return page
}

/** How a person works a page. */
export interface Hand {
  readonly page: Page
  /** Writes into the field of a label. */
  write(label: string, text: string): Promise<void>
  /** Takes the option of a list by its text. */
  choose(label: string, option: string): Promise<void>
  tick(label: string): Promise<void>
  upload(label: string, file: { readonly name: string; readonly bytes: Uint8Array }): Promise<void>
  press(role: 'link' | 'button', name: string | RegExp): Promise<void>
  /** Opens what a summary hides. */
  open(summary: string): Promise<void>
}

const fieldOf = (page: Page, label: string) => page.getByLabel(label, { exact: true }).first()
const summaryOf = (page: Page, text: string) => page.locator('summary').getByText(text, { exact: true }).first()
const fileOf = ({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(bytes),
})

/** Somebody with a mouse. */
export function mouse(page: Page): Hand {
  return {
    page,
    write: (label, text) => fieldOf(page, label).fill(text),
    choose: async (label, option) => void (await fieldOf(page, label).selectOption({ label: option })),
    tick: (label) => fieldOf(page, label).check(),
    upload: (label, file) => fieldOf(page, label).setInputFiles(fileOf(file)),
    press: (role, name) => page.getByRole(role, { name, exact: true }).first().click(),
    open: (summary) => summaryOf(page, summary).click(),
  }
}

/** More stops than any page has. */
const MOST_STOPS = 300

/** Presses the tabulator until the element has the focus. Throws when it cannot be reached. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the keyboard does not reach ${target}`)
}

/** Types a day `YYYY-MM-DD` into its three parts, in the order of the browser's language: month, day, year. */
async function writeDay(page: Page, field: Locator, text: string): Promise<void> {
  const [year = '', month = '', day = ''] = text.split('-')
  await page.keyboard.type(month + day + year)
  if ((await field.inputValue()) !== text) throw new Error(`typing ${text} wrote ${await field.inputValue()}`)
}

/** Somebody with a keyboard alone. */
export function keyboard(page: Page): Hand {
  return {
    page,
    async write(label, text) {
      const field = fieldOf(page, label)
      await tabTo(page, field)
      if ((await field.getAttribute('type')) === 'date') return writeDay(page, field, text)
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
    },
    async choose(label, option) {
      const list = fieldOf(page, label)
      await tabTo(page, list)
      await page.keyboard.type(option)
      const chosen = await list.evaluate((element) => ('selectedOptions' in element ? String(Reflect.get(element, 'value')) : ''))
      const wanted = await list.locator('option').filter({ hasText: option }).first().getAttribute('value')
      if (chosen !== wanted) throw new Error(`typing "${option}" chose "${chosen}" in ${label}`)
    },
    async tick(label) {
      await tabTo(page, fieldOf(page, label))
      await page.keyboard.press('Space')
    },
    async upload(label, file) {
      await tabTo(page, fieldOf(page, label))
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Space')])
      await chooser.setFiles(fileOf(file))
    },
    async press(role, name) {
      await tabTo(page, page.getByRole(role, { name, exact: true }).first())
      await page.keyboard.press('Enter')
    },
    async open(summary) {
      await tabTo(page, page.locator('summary').filter({ hasText: summary }).first())
      await page.keyboard.press('Enter')
    },
  }
}
