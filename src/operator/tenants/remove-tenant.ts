import { AdcpError } from '../../protocol/errors.ts'
import { removeTenantRows } from '../../store/identity/remove-tenant.ts'
import { listTenants } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { liveOrders } from '../order-list/live-orders.ts'
import { requirePublisher } from '../require-publisher.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { boolean, object, string } from '../shape.ts'
import { PUBLISHER } from './present-tenant.ts'

/** Orders that a refusal names. */
const MAX_NAMED = 5

/** Its audit log stays. Throws REFERENCE_NOT_FOUND, and INVALID_STATE for the default of public calls while there are others, and while orders run or will. */
export const removePublisher = defineAct({
  name: 'tenants.remove',
  route: 'DELETE /deployment/publishers/{publisher}',
  id: 'removePublisher',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  publisher: 'publisher',
  summary: 'Removes a publisher and all of it but its audit log; refused while orders run.',
  fields: { publisher: PUBLISHER },
  answer: object({ publisher: string, removed: boolean }),
  command: {
    confirm: ({ publisher }) => `Remove ${publisher} with its products, buyers, keys, orders and creatives?`,
    json: ({ publisher: tenant, removed }) => ({ tenant, removed }),
    text: ({ publisher }) => [`removed ${publisher}; its audit log is still there`],
  },
  async watch(tx, _context, { publisher }) {
    const { name, domain } = await requirePublisher(tx, publisher)
    return { name, domain }
  },
  async run({ store, clock, tenantId: own }, { publisher: tenantId }) {
    if (tenantId === own)
      throw new AdcpError('INVALID_STATE', 'this key belongs to the publisher that it would remove', { field: 'publisher' })
    await store.transaction(async (tx) => {
      const tenant = await requirePublisher(tx, tenantId)
      if (tenant.isPublicDefault && (await listTenants(tx)).length > 1)
        throw new AdcpError(
          'INVALID_STATE',
          `${tenantId} answers public calls; choose another one first: tenants set <id> --public`,
          {
            field: 'tenant',
          },
        )
      const running = await liveOrders(tx, tenantId, clock(), MAX_NAMED + 1)
      if (running.length > 0) {
        const more = running.length > MAX_NAMED ? ' and more' : ''
        const message = `orders of ${tenantId} run, or will: ${running.slice(0, MAX_NAMED).join(', ')}${more}; cancel them first, or wait for their end`
        throw new AdcpError('INVALID_STATE', message, { field: 'tenant' })
      }
      await removeTenantRows(tx, tenantId)
    })
    return { publisher: tenantId, removed: true }
  },
})
