import type { CallAnswer, OutboundCall } from '../../../src/platform/net/outbound-call.ts'
import type { GamEmulator } from '../../support/gam-emulator.ts'
import type { BackendUnderTest } from '../contract.ts'
import { dyingCall } from './dying-call.ts'
import { openGam } from './gam.ts'

/** What lies where the creatives of tests are. */
const FILE: CallAnswer = { status: 200, contentType: 'image/png', retryAfterSeconds: undefined, body: Buffer.from('a picture') }

/** Calls to the network, with the files of creatives beside it. */
export const withFiles =
  (call: OutboundCall): OutboundCall =>
  async (url, request) =>
    url.startsWith('https://cdn.example.com/') ? FILE : call(url, request)

/** Google Ad Manager with creatives written by the SOAP API. */
export function openGamWithCreatives(network: GamEmulator): BackendUnderTest {
  const open = () => network.backend({ creatives: 'api' }, undefined, withFiles)
  return {
    ...openGam(network),
    backend: open(),
    reopen: open,
    dying: (calls) => network.backend({ creatives: 'api' }, undefined, (call) => withFiles(dyingCall(call, calls))),
  }
}
