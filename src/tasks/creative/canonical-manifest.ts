import { canonicalKindOf } from '../../domain/creative/canonical/kind.ts'
import { canonicalNames } from '../../domain/creative/canonical/slots.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { type FormatScope, resolveFormat } from '../../domain/creative/resolve-format.ts'
import type { PublicContext } from '../../pipeline/task.ts'
import { isObject } from '../../protocol/is-object.ts'

/** A creative manifest as any release may write it. */
export type Manifest = Readonly<Record<string, unknown>> & { readonly format_id?: FormatKey }

/** A manifest that names a format of this agent by its id, converted to the kind and slots of that format. Any other is returned unchanged. */
export function byCanonicalNames(manifest: Manifest, scope: FormatScope): Manifest {
  const { format_id: named, assets } = manifest
  const resolved = named && resolveFormat(named, scope)
  if (resolved?.kind !== 'known' || !isObject(assets)) return manifest
  const names = canonicalNames(resolved.format)
  const renamed = Object.fromEntries(Object.entries(assets).map(([slot, asset]) => [names.get(slot) ?? slot, asset]))
  return { ...manifest, format_kind: canonicalKindOf(resolved.format), assets: renamed }
}

/** The slots that the schema of a canonical format has where nothing else is declared; undefined for a name that is no canonical format. */
export function canonicalSlots(kind: string, { contract: { schemas } }: Pick<PublicContext, 'contract'>): unknown {
  const kinds: unknown = schemas.document('core/canonical-format-kind.json').enum
  if (!Array.isArray(kinds) || !kinds.includes(kind) || kind === 'custom') return undefined
  const { properties } = schemas.document(`formats/canonical/${kind}.json`)
  const slots: unknown = isObject(properties) ? properties.slots : undefined
  return isObject(slots) ? slots.default : []
}
