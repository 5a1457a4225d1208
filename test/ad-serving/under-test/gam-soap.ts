import type { GamEmulator } from '../../support/gam-emulator.ts'
import { withFiles } from '../../support/gam-files.ts'
import type { BackendUnderTest } from '../contract.ts'
import { dyingCall } from './dying-call.ts'
import { openGam } from './gam.ts'

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
