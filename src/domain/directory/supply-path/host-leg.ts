import { coversCollection } from './collection-selector.ts'
import { grantedIds, hasUnknownConstraint } from './property-grant.ts'
import { entriesOf, type HostProperty } from './read-manifest.ts'
import { failed, type Leg, type LegFailure, type Manifest, OK, type Path } from './types.ts'

/** How near an entry that fails is to a grant, nearest first: the nearest gives the reason. */
const NEAREST: readonly LegFailure[] = ['property_scope_mismatch', 'unsupported_constraints', 'collection_scope_mismatch']

interface Asked {
  readonly collectionId: string | undefined
  /** Properties that carry the collection; undefined when nothing proves that any does. */
  readonly carried: readonly HostProperty[] | undefined
}

/** Does the host's file let the agent sell the owner's collection on every property that carries it? Each entry counts for itself. */
export function judgeHost(path: Path, asked: Asked): Leg {
  if (!path.host) return failed('manifest_not_found')
  const entries = entriesOf(path.host, path.agent)
  if (entries.length === 0) return failed('no_agent_entry')
  if (path.revocations.betweenThem) return failed('collection_scope_mismatch')
  if (path.revocations.hostItself) return failed('property_scope_mismatch')
  const failures = entries.map((entry) => failureOf(entry, path, asked))
  if (failures.includes(undefined)) return OK
  return failed(NEAREST.find((failure) => failures.includes(failure)) ?? 'collection_scope_mismatch')
}

function failureOf(entry: Manifest, path: Path, { collectionId, carried }: Asked): LegFailure | undefined {
  if (hasUnknownConstraint(entry)) return 'unsupported_constraints'
  const { ownerDomain, requiredHostPropertyIds: required } = path
  if (!coversCollection(entry.collections, { ownerDomain, collectionId })) return 'collection_scope_mismatch'
  if (!carried) return 'property_scope_mismatch'
  const granted = grantedIds(entry, path)
  const ids = carried.map(({ id }) => id)
  const isGranted = ids.every((id) => granted.has(id)) && required.every((id) => ids.includes(id))
  return isGranted ? undefined : 'property_scope_mismatch'
}
