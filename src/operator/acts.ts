import { accountActs } from './accounts/acts.ts'
import type { Act } from './act.ts'
import { approvalActs } from './approvals/acts.ts'
import { billingActs } from './billing/acts.ts'
import { creativeActs } from './creatives/acts.ts'
import { orderActs } from './orders/acts.ts'
import { reportActs } from './reports/acts.ts'

/** Every act of the publisher's people. The command line loads the list of an area alone. */
export const ACTS: readonly Act[] = [
  ...orderActs,
  ...approvalActs,
  ...creativeActs,
  ...accountActs,
  ...billingActs,
  ...reportActs,
]
