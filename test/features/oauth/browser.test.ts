import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentClient } from '../../support/client.ts'
import { CLIENT, type OauthAgent, startOauthAgent, USER } from '../../support/oauth-agent.ts'

/** Where Debian and most others put it; CI installs it. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))

describe.skipIf(CHROMIUM === undefined)('in a real browser', () => {
  let agent: OauthAgent
  let browser: Browser
  let client: Server
  let callback: string
  const arrived: string[] = []
  beforeAll(async () => {
    agent = await startOauthAgent()
    client = createServer((request, response) => {
      arrived.push(request.url ?? '')
      response.end('You can close this window.')
    })
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
    callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    })
  })
  afterAll(async () => {
    await browser?.close()
    client?.close()
    await agent?.stop()
  })

  it('a person logs in, agrees, and the assistant gets its code at its own address, with no word from the page’s policy', async () => {
    const { body } = await agent.register({ ...CLIENT, redirect_uris: [callback] })
    const { url, verifier } = agent.request(String(body.client_id), { redirect_uri: callback })
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('favicon')) complaints.push(message.text())
    })
    await page.goto(url)
    await page.getByLabel('User name').fill(USER.username)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    complaints.length = 0
    await page.getByLabel('User name').fill(USER.username)
    await page.getByLabel('Password').fill(USER.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    // A click does not wait for the page that it leads to.
    await page.getByRole('heading', { name: 'Let Assistant act for you?', exact: true }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'adcp:media_buys' }).waitFor()
    await page.getByRole('button', { name: 'Log in as somebody else' }).click()
    await page.getByLabel('User name').fill(USER.username)
    await page.getByLabel('Password').fill(USER.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${callback}?**`)
    expect(complaints).toEqual([])

    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const { body: tokens } = await agent.token({
      grant_type: 'authorization_code',
      code,
      client_id: String(body.client_id),
      redirect_uri: callback,
      code_verifier: verifier,
    })
    const products = await agentClient(agent.url, String(tokens.access_token)).call('get_products', { buying_mode: 'wholesale' })
    expect([products.status, products.isError]).toEqual([200, false])
    expect(arrived[0]).toContain('iss=')
  })

  it.each(['127.0.0.1', '[::1]'])('a person who cancels at the login page is brought back to a client at %s', async (host) => {
    const redirect = callback.replace('127.0.0.1', host)
    const { body } = await agent.register({ ...CLIENT, redirect_uris: [redirect] })
    const { url } = agent.request(String(body.client_id), { redirect_uri: redirect })
    const page = await browser.newPage()
    const back = page.waitForRequest((request) => request.url().startsWith(`${redirect}?`))
    await page.goto(url)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await back).url()).toContain('error=access_denied')
    await page.close()
  })
})
