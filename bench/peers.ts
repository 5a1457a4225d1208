import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../tools/agent/child.ts'
import { withWorkers } from '../tools/measure/deployment.ts'
import { type Servers, type Subject, toolCall } from '../tools/measure/subject.ts'

const node = process.execPath

/** `node:http` that answers the given bytes: what HTTP alone costs here. */
export async function plainHttp(
  servers: Servers,
  folder: string,
  reply: string,
  { executable = node, processes = 1 }: { readonly executable?: string; readonly processes?: number } = {},
): Promise<Subject> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const file = join(folder, 'reply.json')
  await writeFile(file, reply)
  const command = [executable, 'bench/peers/plain-http.mjs', String(port), file, String(processes)]
  const server = withWorkers(await servers.start({ command, readyUrl: url }))
  const body = toolCall('get_products', {})
  const target = { url, headers: {}, body, succeeded: (text: string) => text === reply }
  const written = { url, headers: {}, body: [body], mark: reply } as const
  return { id: 'http', title: 'node:http, the same bytes', target, written, server }
}

/** A no-op tool behind the MCP SDK's own HTTP transport. `line` is the SDK's major version. */
export async function mcpSdk(servers: Servers, line: 1 | 2): Promise<Subject> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const server = await servers.start({ command: [node, `bench/peers/mcp-sdk-${line}.mjs`, String(port)], readyUrl: url })
  const mark = '"text":"done"'
  const body = toolCall('noop', {})
  const target = { url, headers: {}, body, succeeded: (text: string) => text.includes(mark) }
  const written = { url, headers: {}, body: [body], mark } as const
  return { id: `mcp-sdk-${line}`, title: `no-op tool, MCP SDK ${line}.x, a server a request`, target, written, server }
}

/** In a reply to an MCP client it may stand inside a JSON string. */
const PRODUCT = 'product_id'
const EXAMPLE = 'node_modules/@adcp/sdk/examples/hello_seller_adapter_non_guaranteed.ts'
/** The example's own default, a constant in its file. */
const EXAMPLE_KEY = 'sk_harness_do_not_use_in_prod'

/** The example seller of `@adcp/sdk` for non-guaranteed sales, with the mock ad server that it asks over HTTP. */
export async function exampleSeller(servers: Servers): Promise<Subject> {
  const upstream = await freePort()
  const upstreamUrl = `http://127.0.0.1:${upstream}`
  const mock = ['node_modules/@adcp/sdk/bin/adcp.js', 'mock-server', 'sales-non-guaranteed', '--port', String(upstream)]
  await servers.start({ command: [node, ...mock], readyUrl: upstreamUrl })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const environment = { NODE_ENV: 'development', PORT: String(port), UPSTREAM_URL: upstreamUrl, ADCP_SANDBOX: '1' }
  const server = await servers.start({ command: [node, '--import', 'tsx', EXAMPLE], environment, readyUrl: url })
  const account = { brand: { domain: 'remnant-network.example' }, operator: 'buyer.example' }
  const headers = { authorization: `Bearer ${EXAMPLE_KEY}` }
  const call = toolCall('get_products', { buying_mode: 'brief', brief: 'video for coffee drinkers KEY', account })
  const [before = '', after = ''] = call.split('KEY')
  const target = {
    url,
    headers,
    body: () => `${before}${randomUUID()}${after}`,
    succeeded: (text: string) => text.includes(PRODUCT) && !text.includes('"isError":true'),
  }
  const written = { url, headers, body: [before, after], mark: PRODUCT } as const
  return { id: 'adcp-sdk', title: '@adcp/sdk example seller, a new question each (its 4 products)', target, written, server }
}
