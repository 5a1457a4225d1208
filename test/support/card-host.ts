import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'

/** A host of MCP Apps in a browser: the official bridge shows the card that a tool names, and a real MCP client makes the calls. */
export interface CardHost {
  readonly client: Client
  /** Calls a tool as the model does and shows its card. `theme` and `locale` are the host's. Throws when the tool has no card. */
  show(
    page: Page,
    tool: string,
    input: object,
    context?: { readonly theme?: 'light' | 'dark'; readonly locale?: string },
  ): Promise<Frame>
  /** Calls of tools by cards, in order. */
  readonly calls: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
  /** What cards told the model. */
  readonly told: readonly unknown[]
  stop(): Promise<void>
}

/** The page of the host, in plain JavaScript: the bridge is bundled beside it. */
const PAGE_SOURCE = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
window.showCard = async (html, input, result, hostContext) => {
  document.querySelector('iframe')?.remove()
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.title = 'card'
  frame.style.cssText = 'width:100%;border:0;height:100px'
  document.body.append(frame)
  const bridge = new AppBridge(null, { name: 'test-host', version: '1' }, { serverTools: {}, updateModelContext: { text: {}, structuredContent: {} } }, { hostContext })
  bridge.oncalltool = (params) => window.callTool(params)
  bridge.onupdatemodelcontext = async (params) => { await window.tellModel(params); return {} }
  bridge.onsizechange = ({ height }) => { if (height) frame.style.height = height + 'px' }
  const isReady = new Promise((resolve) => { bridge.oninitialized = resolve })
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = html
  await isReady
  await bridge.sendToolInput({ arguments: input })
  await bridge.sendToolResult(result)
}`

/** Starts a host for an agent at `mcpUrl`, as the holder of a key. */
export async function startCardHost(mcpUrl: string, key: string): Promise<CardHost> {
  const bundled = await build({
    stdin: { contents: PAGE_SOURCE, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'error' },
  })
  const script = bundled.outputFiles[0]?.text ?? ''
  const server = createServer(({ url }, response) => {
    if (url === '/host.js') response.setHeader('content-type', 'text/javascript').end(script)
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><html lang="en"><title>host</title><script src="/host.js"></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = new Client({ name: 'card-host', version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }))
  const { tools } = await client.listTools()
  const calls: { name: string; arguments: Record<string, unknown> }[] = []
  const told: unknown[] = []
  const ready = new WeakSet<Page>()
  const prepare = async (page: Page) => {
    if (!ready.has(page)) {
      await page.exposeFunction('callTool', (params: { name: string; arguments: Record<string, unknown> }) => {
        calls.push(params)
        return client.callTool(params)
      })
      await page.exposeFunction('tellModel', (params: unknown) => void told.push(params))
      ready.add(page)
    }
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  }
  return {
    client,
    calls,
    told,
    async show(page, tool, input, context = {}) {
      const meta = tools.find(({ name }) => name === tool)?._meta as { ui?: { resourceUri?: string } } | undefined
      const uri = meta?.ui?.resourceUri
      if (uri === undefined) throw new Error(`${tool} has no card`)
      const { contents } = await client.readResource({ uri })
      const html = contents[0] && 'text' in contents[0] ? contents[0].text : ''
      const result = await client.callTool({ name: tool, arguments: { ...input } })
      await prepare(page)
      await page.evaluate(`showCard(${[html, input, result, context].map((each) => JSON.stringify(each)).join(', ')})`)
      const frame = page.frames().find((each) => each.parentFrame() !== null)
      if (!frame) throw new Error('the card has no frame')
      await frame.locator('main > *').first().waitFor()
      return frame
    },
    async stop() {
      await client.close()
      server.close()
    },
  }
}
