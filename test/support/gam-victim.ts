import { openGamBackend } from './gam-emulator.ts'
import { gamOrder, takeSteps } from './gam-order.ts'
import { idFile } from './id-file.ts'

// A process of its own that brings an order to the network, so that it can be killed. Arguments: address, key file as JSON, id of the
// order, what the time of the network is ahead of that of this machine, in milliseconds, and the file with the remembered ids.
const [endpoint = '', key = '{}', id = '', aheadMs = '0', ids = ''] = process.argv.slice(2)
const clock = () => new Date(Date.now() + Number(aheadMs))
await takeSteps(openGamBackend({ endpoint, key: JSON.parse(key), clock, ids: idFile(ids) }), gamOrder(id))
