import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { listBuyers } from '../../src/operator/buyers/list-buyers.ts'
import { CHROMIUM, launchChromium, openPage } from '../support/console-browser.ts'
import { invitationOf, PASSWORD } from '../support/console-client.ts'
import { CLIENT, type OauthAgent, startOauthAgent, USER } from '../support/oauth-agent.ts'
import { performAs } from '../support/operator.ts'

/** Pages of an attacker on another port of the same host: cookies of the console are sent with what such pages ask for, as it is the same site. */
let attacker: Server
let evil: string
let agent: OauthAgent
let browser: Browser
let base: string
let page: Page
let context: BrowserContext
const errors: string[] = []
const served = new Map<string, { readonly html: string; readonly cookie?: string }>()

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  agent = await startOauthAgent()
  attacker = createServer((request, response) => {
    const { html, cookie } = served.get(request.url ?? '') ?? { html: '' }
    if (cookie !== undefined) response.setHeader('Set-Cookie', cookie)
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html>${html}`)
  })
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = attacker.address()
  evil = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  base = `${agent.origin}/console/t/${agent.tenant}`
  browser = await launchChromium()
  page = await joined('victim')
  context = page.context()
})
afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  attacker?.close()
})

/** A browser of an administrator who has just joined; `before` is where they were before that. */
async function joined(username: string, before?: string): Promise<Page> {
  const opened = await openPage(browser, errors)
  if (before !== undefined) await opened.goto(before)
  await opened.goto(agent.origin + (await invitationOf(agent, 'administrator', agent.tenant)))
  await opened.fill('#name', username)
  await opened.fill('#username', username)
  await opened.fill('#password', PASSWORD)
  await opened.click('button.primary')
  await opened.waitForURL('**/home')
  return opened
}

/** The page of the attacker with this content, in the victim's browser. */
async function lured(html: string): Promise<Page> {
  served.set('/lure', { html })
  const lure = await context.newPage()
  lure.setDefaultTimeout(60_000)
  await lure.goto(`${evil}/lure`)
  return lure
}

const buyers = async () =>
  (await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, listBuyers, {})).items
    .map(({ principal }) => principal)
    .sort()

describe.skipIf(CHROMIUM === undefined)(
  'a page of somebody else in the browser of a person who is signed in (skipped without Chromium)',
  () => {
    it('frames no page of the console', async () => {
      const addresses = [`${base}/home`, `${base}/settings`, `${agent.origin}/console/sign-in`, `${agent.origin}/`]
      const lure = await lured(addresses.map((each) => `<iframe src="${each}"></iframe>`).join(''))
      await lure.waitForLoadState('networkidle')
      const frames = lure.frames().slice(1)
      expect(frames.map((frame) => frame.url())).toEqual(addresses.map(() => 'chrome-error://chromewebdata/'))
      await lure.close()
    })

    it.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])(
      'changes nothing by a form of the type %s',
      async (type) => {
        const before = await buyers()
        expect(before).toContain('buyer')
        const lure = await lured(
          `<form method="post" enctype="${type}" action="${base}/buyers"><input name="id" value="evil"><input name="csrf" value="x"><button>Win</button></form>`,
        )
        await lure.click('button')
        await lure.waitForURL(`${base}/buyers`)
        expect(await lure.title()).toBe('This was not done')
        expect(await buyers()).toEqual(before)
        await lure.close()
      },
    )

    it('changes nothing and reads nothing by its scripts', async () => {
      const before = await buyers()
      const lure = await lured('')
      const read = await lure.evaluate(`(async () => {
      const sent = { method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ id: 'evil' }) }
      await fetch('${base}/buyers', sent).catch(() => undefined)
      navigator.sendBeacon('${base}/buyers', new URLSearchParams({ id: 'evil' }))
      return fetch('${base}/home', { credentials: 'include' }).then((answer) => answer.text(), () => 'refused')
    })()`)
      expect(read).toBe('refused')
      expect(await buyers()).toEqual(before)
      await lure.close()
    })

    it('has no hold of a window of the console that it opened', async () => {
      const lure = await lured('')
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        lure.evaluate(`void (window.opened = open('${base}/home'))`),
      ])
      await opened.waitForURL(`${base}/home`)
      expect(await opened.evaluate('window.opener === null')).toBe(true)
      // The browser tells the other process of it a moment later.
      await expect.poll(() => lure.evaluate('window.opened.closed')).toBe(true)
      await opened.close()
      await lure.close()
    })

    it('knows no session by a cookie that it set before the sign-in', async () => {
      const planted = 'A'.repeat(43)
      served.set('/plant', { html: '', cookie: `sales-agent-console=${planted}; Path=/console` })
      const later = await joined('later', `${evil}/plant`)
      const cookies = (await later.context().cookies(`${agent.origin}/console`)).map(({ name, value }) => [name, value])
      expect(cookies).toEqual([['sales-agent-console', expect.not.stringMatching(planted)]])
      const answer = await fetch(`${base}/home`, { headers: { Cookie: `sales-agent-console=${planted}` }, redirect: 'manual' })
      expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/console\/sign-in/)])
    })
  },
)

describe.skipIf(CHROMIUM === undefined)('an assistant whose name is markup (skipped without Chromium)', () => {
  it('is shown as a text where people log in, where they agree, and on Connections', async () => {
    const name = `"><img src=x onerror="window.xss=1"><script>window.xss=1</script>`
    const registered = await agent.register({ ...CLIENT, client_name: name, redirect_uris: [`${evil}/back`] })
    const clientId = String(registered.body.client_id)
    const { url, verifier } = agent.request(clientId, { redirect_uri: `${evil}/back` })
    const login = await openPage(browser, errors)
    await login.goto(url)
    const shown: unknown[] = [await examined(login)]
    await login.fill('input[name=username]', USER.username)
    await login.fill('input[name=password]', USER.password)
    await login.click('button')
    await login.waitForURL(/interaction/)
    shown.push(await examined(login))
    await login.locator('form[action$="/confirm"] button').click()
    await login.waitForURL(`${evil}/back**`)
    const code = new URL(login.url()).searchParams.get('code') ?? ''
    const exchange = {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: `${evil}/back`,
      code_verifier: verifier,
    }
    expect((await agent.token(exchange)).status).toBe(200)
    await page.goto(`${base}/connections`)
    shown.push(await examined(page))
    expect(shown).toEqual(Array(3).fill({ isNamed: true, made: 0, ran: false }))

    async function examined(where: Page) {
      const text = await where.locator('body').innerText()
      return {
        isNamed: text.includes(name),
        made: await where.locator('img[src="x"], script:not([src])').count(),
        ran: await where.evaluate('window.xss !== undefined'),
      }
    }
  })
})
