import { createOutboundCall } from '../../src/platform/net/outbound-call.ts'
import { openGamBackend } from './gam-emulator.ts'
import { withFiles } from './gam-files.ts'
import { gamCreatives, gamOrder, takeSteps } from './gam-order.ts'
import { idFile } from './id-file.ts'

// A process of its own that brings an order to the network, so that it can be killed. Arguments: address, key file as JSON, id of the
// order, what the time of the network is ahead of that of this machine, in milliseconds, the file with the remembered ids, and
// `creatives` where its lines show some.
const [endpoint = '', key = '{}', id = '', aheadMs = '0', ids = '', shows = ''] = process.argv.slice(2)
const clock = () => new Date(Date.now() + Number(aheadMs))
const call = withFiles(createOutboundCall({ userAgent: 'test', loopback: true }))
const own = { endpoint, key: JSON.parse(key), clock, ids: idFile(ids), call, options: shows ? { creatives: 'api' } : {} }
await takeSteps(openGamBackend(own), gamOrder(id, shows ? gamCreatives(id) : []))
