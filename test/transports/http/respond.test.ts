import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readsOnly, respondJson, respondProblem, respondTagged } from '../../../src/transports/http/respond.ts'

const server = createServer((request, response) => {
  if (request.url === '/json') respondJson(response, 200, { word: 'größe' })
  else if (request.url === '/kept') respondJson(response, 200, {}, { 'Cache-Control': 'public, max-age=60' })
  else if (request.url === '/problem')
    respondProblem(response, { title: 'BUSY', status: 503, detail: 'later' }, { 'Retry-After': '5' })
  else if (readsOnly(request, response)) {
    respondTagged(request, response, { type: 'text/plain', body: 'same', headers: { 'Cache-Control': 'public, max-age=60' } })
  }
})
let origin = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

describe('responder', () => {
  it('tells type and length in bytes, and that nobody keeps the answer unless told', async () => {
    const response = await fetch(`${origin}/json`)
    expect(await response.json()).toEqual({ word: 'größe' })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength('{"word":"größe"}')))
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await fetch(`${origin}/kept`)).headers.get('cache-control')).toBe('public, max-age=60')
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const [get, head] = await Promise.all([fetch(`${origin}/json`), fetch(`${origin}/json`, { method: 'HEAD' })])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(await head.text()).toBe('')
  })

  it('writes problems of RFC 9457', async () => {
    const response = await fetch(`${origin}/problem`)
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toEqual({ type: 'about:blank', title: 'BUSY', status: 503, detail: 'later' })
  })

  it('answers 304 to who has the document as it is, and 405 to what does not read', async () => {
    const first = await fetch(`${origin}/tagged`)
    const etag = first.headers.get('etag') ?? ''
    expect(await first.text()).toBe('same')
    const again = await fetch(`${origin}/tagged`, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([
      304,
      etag,
      'public, max-age=60',
    ])
    expect((await fetch(`${origin}/tagged`, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
    const refused = await fetch(`${origin}/tagged`, { method: 'POST' })
    expect([refused.status, refused.headers.get('allow'), await refused.text()]).toEqual([405, 'GET, HEAD', ''])
  })
})
