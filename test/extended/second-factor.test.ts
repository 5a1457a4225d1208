import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setSettings } from '../../src/operator/tenants/tenant-acts.ts'
import { freePort } from '../../tools/agent/child.ts'
import { CHROMIUM, keyboard, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Where the pictures of the pages go; they are for people to look at. */
const PICTURES = process.env.CONSOLE_PICTURES
/** A telephone, and a screen in each theme. */
const SCREENS = [
  ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ['screen', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['screen-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
] as const satisfies readonly (readonly [string, BrowserContextOptions])[]

let agent: TestAgent
let browser: Browser
let origin: string
let port: number
const errors: string[] = []

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  port = await freePort()
  origin = `http://localhost:${port}`
  agent = await startAgent({ flags: { port, publicUrl: origin } })
  browser = await launchChromium()
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

interface Device {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

/** An authenticator that is built into the browser of a page, and knows its person by a finger. */
async function withAuthenticator(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
  return { cdp, authenticatorId }
}

async function joined(username: string, role: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openPage(browser, errors, options)
  await page.goto(origin + (await invitationOf(agent, role, agent.tenant)))
  await page.getByLabel('Your name').fill(`${username} Example`)
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/console/join'))
  return page
}

async function signIn(page: Page, username: string, at = origin): Promise<void> {
  await page.goto(`${at}/console/sign-in`)
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto(`${origin}/console/account/second-factor/passkeys`)
  await page.getByLabel('Name').fill('work laptop')
  await page.getByRole('button', { name: 'Add the passkey' }).click()
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
}

/** Signs out and waits for the page after it, however the button is pressed. */
async function signOut(page: Page, press = () => page.getByRole('button', { name: 'Sign out' }).click()): Promise<void> {
  await press()
  await page.getByText('You are signed out.').waitFor()
}

/** What axe finds on a page, and a picture of it. */
async function look(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  await page.evaluate(AXE)
  const found: unknown = await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map((node) => node.html).join(" ")))',
  )
  expect([name, found]).toEqual([name, []])
  const isWide: unknown = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  expect([name, isWide]).toEqual([name, false])
}

describe.skipIf(CHROMIUM === undefined)('the second factor in Chromium (skipped where it is not installed)', () => {
  it('a passkey is set up, signs in, and is refused elsewhere and when it was copied', async () => {
    const page = await joined('keys', 'viewer')
    const { cdp, authenticatorId } = await withAuthenticator(page)
    await addPasskey(page)
    await page.goto(`${origin}/console/account/second-factor`)
    await page.getByText('work laptop').waitFor()
    await signOut(page)
    await signIn(page, 'keys')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/home')
    await signOut(page)

    await signIn(page, 'keys', `http://127.0.0.1:${port}`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkey was given').waitFor()
    await signIn(page, 'keys', `http://evil.localhost:${port}`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText(/No passkey was given|does not count here/).waitFor()

    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    expect(credential?.signCount).toBeGreaterThan(1)
    if (!credential) return
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
    await signIn(page, 'keys')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('this passkey does not count here').waitFor()

    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('No passkey was given').waitFor()
    await page.context().close()
    errors.splice(0)
  })

  it('an app is set up and used with the keyboard alone, without scripts', async () => {
    const page = await joined('hands', 'viewer', { javaScriptEnabled: false })
    const hand = keyboard(page)
    await page.goto(`${origin}/console/account`)
    await hand.press('link', 'Set up a second factor')
    await hand.press('link', 'Set up an app')
    const secret = (await page.locator('.secret').first().innerText()).replaceAll(/\s/g, '')
    const code = (steps = 0) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
    await hand.write('Code that the app shows', code())
    await hand.press('button', 'Turn it on')
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    const recovery = await page.locator('.codes code').first().innerText()
    await signOut(page, () => hand.press('button', 'Sign out'))
    await signIn(page, 'hands')
    await hand.write('Code of the authenticator app', code(1))
    await hand.press('button', 'Sign in')
    await page.waitForURL('**/home')
    await signOut(page, () => hand.press('button', 'Sign out'))
    await signIn(page, 'hands')
    await hand.open('Use a recovery code')
    await hand.write('Recovery code', recovery)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/home')
    await page.goto(`${origin}/console/account/second-factor/passkeys`)
    await page.getByText('Passkeys need a browser that has them, with scripts.').waitFor()
    await page.context().close()
  })

  it.each(SCREENS)('every page is clean by axe and fits, and an enforced role is led to it: %s', async (name, options) => {
    await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, setSettings, { second_factor: ['finance'] })
    const page = await joined(`look-${name}`, 'finance', options)
    await withAuthenticator(page)
    await page.goto(`${origin}/console/t/${agent.tenant}/reports`)
    await page.getByText('Your role needs a second factor').waitFor()
    await look(page, `needed-${name}`)
    await page.getByRole('link', { name: 'Set up an app' }).click()
    await look(page, `app-${name}`)
    await page.getByLabel('Code that the app shows').fill('000000')
    await page.getByRole('button', { name: 'Turn it on' }).click()
    await page.getByText('this code does not fit').waitFor()
    const secret = (await page.locator('.secret').first().innerText()).replaceAll(/\s/g, '')
    await page.getByLabel('Code that the app shows').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
    await page.getByRole('button', { name: 'Turn it on' }).click()
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    await look(page, `codes-${name}`)
    await page.getByRole('link', { name: 'I have stored them' }).click()
    await page.waitForURL('**/home')
    await page.goto(`${origin}/console/account/second-factor/passkeys`)
    await look(page, `passkey-${name}`)
    await page.getByLabel('Name').fill('work laptop')
    await page.getByRole('button', { name: 'Add the passkey' }).click()
    await page.getByText('Added.').waitFor()
    await look(page, `factors-${name}`)
    await page.goto(`${origin}/console/account`)
    await look(page, `account-${name}`)
    await signOut(page)
    await signIn(page, `look-${name}`)
    await page.getByText('Use a recovery code').click()
    await look(page, `sign-in-${name}`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/home')
    await page.context().close()
    const boss = await joined(`boss-${name}`, 'administrator', options)
    await boss.goto(`${origin}/console/t/${agent.tenant}/people`)
    await look(boss, `people-${name}`)
    await boss.goto(`${origin}/console/t/${agent.tenant}/settings`)
    await look(boss, `settings-${name}`)
    await boss.context().close()
  })

  it('the policy stopped nothing of ours', () => {
    expect(errors.filter((text) => !/net::|Failed to load resource/.test(text))).toEqual([])
  })
})
