import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Config, publicOrigin } from '../config/config.ts'

/** Desktop clients start the program from anywhere, so paths are absolute. */
const program = fileURLToPath(new URL('./sales-agent.js', import.meta.url))

/** The lines that `serve` prints once it answers: where it is, and what to paste to reach it. */
export function welcome(config: Config, port: number, key: string | undefined): readonly string[] {
  const url = `${publicOrigin({ ...config, port })}/mcp`
  if (key === undefined) return [`AdCP sales agent on ${url}`]
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_products', arguments: { buying_mode: 'brief', brief: 'video for coffee drinkers' } },
  }
  return [
    `AdCP sales agent on ${url}`,
    '',
    'Key of the demo buyer, shown this once (more: sales-agent keys create):',
    '',
    `  ${key}`,
    '',
    'A first buy, call by call, in another terminal:',
    `  npx sales-agent try --data ${resolve(config.data)}`,
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
