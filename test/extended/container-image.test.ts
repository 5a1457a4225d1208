import { createServer } from 'node:net'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { type ImageBuilder, imageBuilder } from '../../tools/runtime/container-image.ts'

const MOST_BYTES = 250e6

const found = await imageBuilder()
const builder: ImageBuilder | undefined = typeof found === 'string' ? undefined : found
const reason = typeof found === 'string' ? found : ''
let end: (() => void) | undefined
afterAll(async () => {
  end?.()
  await builder?.remove()
}, 300_000)

/** A port that nobody listens at: the image shares the network of this test. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

describe.skipIf(!builder)(`the image of deploy/Dockerfile${reason === '' ? '' : ` (${reason})`}`, () => {
  it('is built from this repository, small, and not for root', { timeout: 900_000 }, async () => {
    const { bytes, user } = (await builder?.build()) ?? { bytes: 0, user: '' }
    expect(user).toBe('node')
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(MOST_BYTES)
  })

  it('holds no shell and nothing that it could write to but its volume and /tmp', { timeout: 60_000 }, () => {
    expect(builder?.run('sh', '-c', 'true').status).not.toBe(0)
    const tried = `const { writeFileSync } = require('node:fs')
      const can = (folder) => { try { writeFileSync(folder + '/tried', ''); return true } catch { return false } }
      console.log(process.getuid(), JSON.stringify(['/data', '/tmp', '/app', '/usr', '/etc', '/'].filter(can)))`
    expect(builder?.run('node', '-e', tried).output.trim()).toBe('1000 ["/data","/tmp"]')
  })

  it('serves every release, and keeps its store on the volume', { timeout: 120_000 }, async () => {
    const port = await freePort()
    end = builder?.start('serve', '--demo', '--host', '127.0.0.1', '--port', String(port))
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200
    await vi.waitUntil(ready, { timeout: 90_000, interval: 250 })
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {} } }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    for (const release of ['3.0', '3.1', '3.2']) expect(text).toContain(`"${release}`)
    expect(builder?.run('node', '-p', "require('node:fs').readdirSync('/data').join()").output).toContain('sales-agent.sqlite')
  })
})
