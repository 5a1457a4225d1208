import { missingBuyer } from '../../store/identity/missing-buyer.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { definePersonAct } from '../act.ts'
import { logNow } from '../audited-store.ts'
import { BUYER } from '../named-buyer.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS, SELLERS } from '../roles.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

/** How long calls are recorded after somebody asked for it, and how people say it. */
const WATCH_MS = 3_600_000
export const WATCH_TEXT = 'an hour'

const OF_BUYER = { buyer: BUYER }

/** Shows the calls of a buyer that the process has in its memory. Throws REFERENCE_NOT_FOUND. */
export const showCalls = definePersonAct({
  name: 'calls.show',
  roles: READERS,
  changes: false,
  fields: OF_BUYER,
  run: async (context, { buyer }) => ({ name: await nameOf(context, context.tenantId, buyer) }),
})

/** Notes in the audit log that a person reads the calls of a buyer from now on; `until`: they are recorded up to then. Throws REFERENCE_NOT_FOUND. */
export const watchCallsOf = definePersonAct({
  name: 'calls.watch',
  roles: SELLERS,
  changes: true,
  subject: 'buyer',
  fields: OF_BUYER,
  async run(context, { buyer }) {
    const name = await nameOf(context, context.tenantId, buyer)
    // The calls are in memory: the entry of the audit log is all that is stored.
    await logNow(context)
    return { name, until: new Date(context.clock().getTime() + WATCH_MS) }
  },
})

async function nameOf({ store }: OperatorContext, tenantId: string, buyer: string): Promise<string> {
  const found = await findPrincipal(store.read, tenantId, buyer)
  if (found) return found.name
  throw missingBuyer(tenantId, buyer)
}
