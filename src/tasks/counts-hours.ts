import type { Principal } from '../domain/identity/principal.ts'
import type { Services } from '../pipeline/services.ts'

/** Whether all ad servers that new orders of a buyer are booked in count by the hour. */
export function countsHours(
  { adServers }: Pick<Services, 'adServers'>,
  tenantId: string,
  buyer: Pick<Principal, 'sandbox'> | undefined,
): boolean {
  return adServers.of(tenantId, { sandbox: buyer?.sandbox === true }).reportHours !== undefined
}
