import { required, text } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { getBackend } from './show-ad-servers.ts'

/** The field that names an ad server. */
export const NAME = required(text('name of the ad server; on the command line by default the only reconciled one'))

/** The ad server of a command that names none: the only reconciled one. */
export const ONLY_ONE = {
  field: 'name' as const,
  value: async (context: OperatorContext, tenantId: string) => (await getBackend(context, tenantId, undefined)).name,
}
/** How a command takes {@link NAME}. */
export const NAMED = { args: [], flags: { name: 'ad-server' }, fill: ONLY_ONE }
