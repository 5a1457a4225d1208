import { openGamBackend } from './gam-emulator.ts'
import { gamOrder, takeSteps } from './gam-order.ts'

// A process of its own that brings an order to the network, so that it can be killed. Arguments: address, key file as JSON, id of the order.
const [endpoint = '', key = '{}', id = ''] = process.argv.slice(2)
await takeSteps(openGamBackend({ endpoint, key: JSON.parse(key) }), gamOrder(id))
