import type { WireCreative } from '../../domain/creative/creative.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { upsertCreatives } from '../creative/upsert-creatives.ts'

interface WithCreatives {
  readonly creatives?: readonly WireCreative[]
}

/**
 * Puts the creatives that come with packages into the account's library, as sync_creatives would. Throws the first refusal, its field below
 * `<field>[<index>]`; nothing of the order happens then.
 */
export async function uploadCreatives(
  context: InTransaction<AuthenticatedContext>,
  accountId: string,
  packages: readonly WithCreatives[] | undefined,
  field: 'packages' | 'new_packages',
): Promise<void> {
  for (const [index, { creatives }] of (packages ?? []).entries()) {
    if (!creatives) continue
    for (const decision of await upsertCreatives(context, creatives, { accountId, mode: 'lenient', dryRun: false })) {
      if (decision.action !== 'failed') continue
      const [error] = decision.errors
      const path = `${field}[${index}].${error?.field ?? 'creatives'}`
      const message = error?.message.replace(error.field ?? '', path) ?? `${path} cannot be used`
      throw new AdcpError(error?.code ?? 'CREATIVE_REJECTED', message, { field: path })
    }
  }
}
