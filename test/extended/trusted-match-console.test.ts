import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { makeMatchKey, revokeMatchKeyOf } from '../../src/operator/trusted-match/match-keys.ts'
import { registerProvider } from '../../src/operator/trusted-match/match-providers.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { acting } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Where pictures of the page go, for people to look at; without it none are made. */
const PICTURES = process.env.CONSOLE_PICTURES
const SCREENS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const

let agent: TestAgent
let browser: Browser
beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startAgent()
  browser = await launchChromium()
  if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true })
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
})

/** Keys, and providers that are ready, gone, draining, and called by the longest name. */
async function register(): Promise<void> {
  const operator = operatorOn(agent.server.store, agent.config)
  const { kid } = await makeMatchKey(acting(operator, agent.tenant))
  await makeMatchKey(acting(operator, agent.tenant))
  await revokeMatchKeyOf(acting(operator, agent.tenant), { kid })
  const add = (providerId: string, registration: object) =>
    registerProvider(acting(operator, agent.tenant), { providerId, registration: { context_match: true, ...registration } })
  await add('own', { endpoint: `${new URL(agent.url).origin}/trusted-match/${agent.tenant}` })
  await add('gone', { endpoint: 'https://127.0.0.1:1/v1', identity_match: true, countries: ['US'], uid_types: ['uid2'] })
  await add('resting', { endpoint: 'https://127.0.0.1:2/v1', status: 'draining' })
  await add('x'.repeat(64), { endpoint: `https://provider.example/${'path/'.repeat(30)}v1`, status: 'inactive' })
}

describe.skipIf(CHROMIUM === undefined)('the page Trusted Match of the console (skipped without Chromium)', () => {
  it('has no fault of axe and is no wider than the screen, without providers and with them', { timeout: 120_000 }, async () => {
    const errors: string[] = []
    const found: unknown[] = []
    const page = await openPage(browser, errors, {})
    await page.goto(new URL(agent.url).origin + (await invitationOf(agent, 'administrator', agent.tenant)))
    await page.fill('#name', 'Nora Newcomer')
    await page.fill('#username', 'nora')
    await page.fill('#password', PASSWORD)
    await page.click('button.primary')
    await page.waitForURL('**/home')
    const examine = async (state: string) => {
      for (const [colorScheme, width] of SCREENS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 740 })
        await page.goto(`${new URL(agent.url).origin}/console/t/${agent.tenant}/trusted-match`)
        const faults: string[] = await page.evaluate(
          `${AXE};axe.run().then(({ violations }) => [...violations.map(({ id, nodes }) => id + ' ' + nodes[0].html), ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : [])])`,
        )
        if (faults.length > 0) found.push([state, colorScheme, width, faults])
        if (PICTURES !== undefined)
          await page.screenshot({ path: join(PICTURES, `${state}-${width}-${colorScheme}.png`), fullPage: true })
      }
    }
    await examine('empty')
    expect(await page.getByText('No providers').count()).toBe(1)
    await register()
    await examine('providers')
    // A long name pushes nothing off a large screen.
    await page.setViewportSize({ width: 1280, height: 740 })
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).length`,
      ),
    ).toBe(0)
    expect(await page.getByRole('row').filter({ hasText: 'gone' }).getByText('not ready', { exact: true }).count()).toBe(1)
    expect(await page.getByRole('row').filter({ hasText: 'resting' }).getByText('not asked', { exact: true }).count()).toBe(1)
    expect([found, errors]).toEqual([[], []])
  })
})
