import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { TransportCredentials } from '../../../src/security/auth/transport-credentials.ts'
import { bodilessCredentials } from '../../../src/transports/http/bodiless-credentials.ts'

it('a request brings its header, its address and the certificate of its connection', async () => {
  const certificate = { flaw: undefined, names: ['dns:buyer.example'] }
  let seen: TransportCredentials | undefined
  const server = createServer((request, response) => {
    seen = bodilessCredentials(request, () => ({ address: '192.0.2.7', channel: 'tls', certificate }))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}/a?b=c`, { method: 'POST', headers: { authorization: 'Bearer sk_1' }, body: 'text' })
  } finally {
    server.close()
  }
  expect(seen).toMatchObject({
    authorization: 'Bearer sk_1',
    method: 'POST',
    target: '/a?b=c',
    body: undefined,
    remoteAddress: '192.0.2.7',
    clientCertificate: certificate,
  })
  expect(seen?.rawHeaders).toEqual(expect.arrayContaining(['Bearer sk_1']))
})
