import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../tools/agent/child.ts'

/** Where Linux begins to give out ports by itself (ip(7), `ip_local_port_range`); others begin above it. */
const FIRST_GIVEN = 32_768

test('a port that is given stays free until it is asked for: no system gives it to anybody by itself', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  for (const port of ports) {
    expect(port).toBeGreaterThan(1024)
    expect(port).toBeLessThan(FIRST_GIVEN)
  }
})

test('a port that is taken is not given', async () => {
  const port = await freePort()
  const only = { from: port, below: port + 1 }
  expect(await freePort(only)).toBe(port)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await expect(freePort(only)).rejects.toThrow('no free port')
  await new Promise((resolve) => server.close(resolve))
})
