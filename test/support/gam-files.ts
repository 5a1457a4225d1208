import type { CallAnswer, OutboundCall } from '../../src/platform/net/outbound-call.ts'

/** What lies where the creatives of tests are. */
const FILE: CallAnswer = { status: 200, contentType: 'image/png', retryAfterSeconds: undefined, body: Buffer.from('a picture') }

/** Calls to the network, with the files of creatives beside it. */
export const withFiles =
  (call: OutboundCall): OutboundCall =>
  async (url, request) =>
    url.startsWith('https://cdn.example.com/') ? FILE : call(url, request)
