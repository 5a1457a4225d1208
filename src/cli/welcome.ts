import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adsOrigin } from '../config/ads-settings.ts'
import { type Config, publicOrigin } from '../config/config.ts'
import { adviceToAdd } from '../protocol/contract-files/missing-releases.ts'
import { missingLines, presentReleases } from '../protocol/present-sources.ts'

/** Desktop clients start the program from anywhere, so paths are absolute. */
const program = fileURLToPath(new URL('./sales-agent.js', import.meta.url))

/** The lines that `serve` prints once it answers: where it is, and what to paste to reach it. */
export function welcome(config: Config, port: number, key: string | undefined): readonly string[] {
  const url = `${publicOrigin({ ...config, port })}/mcp`
  const head = [`AdCP sales agent on ${url}`, releasesLine(config.data)]
  if (key === undefined) return head
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_products', arguments: { buying_mode: 'brief', brief: 'video for coffee drinkers' } },
  }
  return [
    ...head,
    '',
    'Key of the demo buyer, shown this once (more: sales-agent keys create):',
    '',
    `  ${key}`,
    '',
    ...demoLines(config, port),
    'A first buy, call by call, in another terminal:',
    `  npx sales-agent try ${url} --data ${resolve(config.data)}`,
    '',
    'With the AdCP client:',
    `  npx adcp ${url} get_products '{"buying_mode":"brief","brief":"video for coffee drinkers"}' --auth ${key} --allow-http`,
    '',
    'With curl:',
    `  curl -s ${url} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'`,
    '',
    'Claude Desktop (stdio), in claude_desktop_config.json:',
    `  ${JSON.stringify({
      mcpServers: {
        adcp: {
          command: 'node',
          args: [program, 'serve', '--stdio', '--data', resolve(config.data)],
          env: { SALES_AGENT_KEY: key },
        },
      },
    })}`,
    '',
    'Any other MCP client:',
    `  ${JSON.stringify({ mcpServers: { adcp: { url, headers: { Authorization: `Bearer ${key}` } } } })}`,
  ]
}

/** Where the embedded ad server shows what production buyers order; pages are there in development alone. */
function demoLines(config: Config, port: number): readonly string[] {
  if (config.mode !== 'development' || config.adServer.type !== 'embedded') return []
  const data = resolve(config.data)
  const origin = adsOrigin(config.ads, publicOrigin({ ...config, port }))
  return [
    'A page with ad tags. Orders of production buyers show there within seconds of approval; those of the demo buyer go to a simulator, and to no provider of Trusted Match:',
    `  ${origin}/ads/demo/demo`,
    'A production buyer with a key, in another terminal:',
    `  npx sales-agent buyers add advertiser --data ${data}`,
    `  npx sales-agent keys create --buyer advertiser --data ${data}`,
    '',
  ]
}

function releasesLine(dataFolder: string): string {
  const served = `releases of AdCP: ${presentReleases(dataFolder)
    .map(({ patch }) => patch)
    .join(', ')}`
  const missing = missingLines()
  return missing.length === 0 ? served : `${served}; ${missing.join(' and ')} missing. ${adviceToAdd(missing)}`
}
