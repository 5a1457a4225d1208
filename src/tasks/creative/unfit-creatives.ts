import { adoptCreative } from '../../domain/creative/adopt-creative.ts'
import type { SentCreative } from '../../domain/creative/creative.ts'
import { resolveFormat } from '../../domain/creative/resolve-format.ts'
import { refusedBy } from '../../domain/creative/sync-creative.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import { formatScopeOf } from './format-scope.ts'

/** Creatives of one call that are looked at where its form is wrong: an error names no more. */
const MOST_LOOKED_AT = 12

/** What creatives break of their formats, an unknown format among it, of those that name one; they may lack any other member. */
export async function unfitCreatives(
  creatives: readonly Partial<SentCreative>[],
  context: AuthenticatedContext,
): Promise<readonly AdcpError[]> {
  const named = creatives.slice(0, MOST_LOOKED_AT)
  if (context.principal.conformance || !named.some(({ format_id }) => format_id)) return []
  const scope = await formatScopeOf(context)
  const { ofKind } = context.services.wiring.formats
  return named.flatMap(({ creative_id = '', name = '', format_id, assets = {}, ...rest }, index) => {
    if (!format_id) return []
    const wire = adoptCreative({ ...rest, creative_id, name, format_id, assets }, scope, ofKind)
    return refusedBy(wire, resolveFormat(wire.format_id, scope), `creatives[${index}]`)
  })
}
