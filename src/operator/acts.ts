import type { Act } from './act.ts'
import { approvalActs } from './approvals/acts.ts'
import { creativeActs } from './creatives/acts.ts'
import { orderActs } from './orders/acts.ts'

/** Every act of the publisher's people. The command line loads the list of an area alone. */
export const ACTS: readonly Act[] = [...orderActs, ...approvalActs, ...creativeActs]
