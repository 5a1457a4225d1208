import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BUILT_COMMAND, startAgent } from '../agent/start-agent.ts'

const USAGE = `npx tsx tools/faults/idle.ts [--connections 10000] [--command WORDS]: what connections that have made one call and then say nothing
cost a server, and whether others notice them
`

const { values: args } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    command: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const CALL = 'GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

if (args.help) process.stdout.write(USAGE)
else await main()

async function main(): Promise<void> {
  const agent = await startAgent({
    command: args.command?.split(' ') ?? BUILT_COMMAND,
    environment: { SALES_AGENT_LOG_LEVEL: 'silent' },
  })
  const sockets: Socket[] = []
  try {
    const before = await timings(agent.mcpUrl, agent.key)
    const rssBefore = await rssKb(agent.pid)
    const { port } = new URL(agent.origin)
    for (let n = 0; n < Number(args.connections); n += 200) {
      sockets.push(...(await Promise.all(Array.from({ length: 200 }, () => idle(Number(port))))))
    }
    await sleep(2_000)
    const rssAfter = await rssKb(agent.pid)
    const after = await timings(agent.mcpUrl, agent.key)
    const open = sockets.filter((socket) => !socket.destroyed).length
    process.stdout.write(
      `${JSON.stringify({ connections: open, rssBeforeMb: rssBefore / 1024, rssAfterMb: rssAfter / 1024, kbEach: (rssAfter - rssBefore) / open, before, after })}\n`,
    )
  } finally {
    for (const socket of sockets) socket.destroy()
    await agent.stop()
  }
}

function idle(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(CALL))
    socket.once('data', () => resolve(socket))
    socket.once('error', reject)
  })
}

async function timings(url: string, key: string): Promise<{ p50Ms: number; worstMs: number }> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_products', arguments: { buying_mode: 'brief', brief: 'video' } },
  })
  const taken: number[] = []
  for (let n = 0; n < 300; n++) {
    const started = performance.now()
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` }
    await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer()
    if (n >= 100) taken.push(performance.now() - started)
  }
  taken.sort((a, b) => a - b)
  return { p50Ms: taken[100] ?? 0, worstMs: taken.at(-1) ?? 0 }
}

async function rssKb(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}
