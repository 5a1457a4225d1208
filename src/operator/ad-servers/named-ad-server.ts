import { required } from '../fields.ts'
import type { OperatorContext } from '../operator-context.ts'
import { adServerName, inForm } from '../text-form.ts'
import { getBackend } from './show-ad-servers.ts'

/** The field for the name of a new ad server. */
export const NEW_AD_SERVER = required(
  inForm(
    { pattern: '^[a-z0-9][a-z0-9_\\-]*$', words: 'small letters, digits, _ and -, beginning with a letter or a digit' },
    adServerName('name of the ad server'),
  ),
)

/** The field that names an ad server. */
export const NAME = required(adServerName('name of the ad server; on the command line by default the only reconciled one'))

/** The ad server of a command that names none: the only reconciled one. */
export const ONLY_ONE = {
  field: 'name' as const,
  value: async (context: OperatorContext, tenantId: string) => (await getBackend(context, tenantId, undefined)).name,
}
/** How a command takes {@link NAME}. */
export const NAMED = { args: [], flags: { name: 'ad-server' }, fill: ONLY_ONE }
