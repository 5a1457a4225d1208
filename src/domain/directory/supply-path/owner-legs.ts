import { isObject } from '../../../protocol/is-object.ts'
import { publisherDomain } from '../publisher-domain.ts'
import { coversCollection } from './collection-selector.ts'
import { hasUnknownConstraint, isPropertyGrant } from './property-grant.ts'
import { collectionsOf, entriesOf, type HostProperty, idList, listAt, propertiesOf } from './read-manifest.ts'
import { failed, type Leg, type Manifest, OK, type Path } from './types.ts'

/** Does the owner's file declare the collection? */
export function judgeCollection(
  path: Path,
  collectionId: string | undefined,
): { readonly leg: Leg; readonly collection: Manifest | undefined } {
  const none = (leg: Leg) => ({ leg, collection: undefined })
  if (!path.owner) return none(failed('manifest_not_found'))
  if (path.revocations.ownerItself) return none(failed('publisher_revoked'))
  const collection = collectionsOf(path.owner, path).find((each) => each.collection_id === collectionId)
  return collectionId === undefined || !collection ? none(failed('collection_not_declared')) : { leg: OK, collection }
}

/**
 * Does the owner say that the host carries the collection, on properties that the host has? Identifiers alone hint at it and prove nothing
 * (`isProof` false).
 */
export function judgeCarriage(
  path: Path,
  collection: Manifest | undefined,
): { readonly leg: Leg; readonly carried: readonly HostProperty[]; readonly isProof: boolean } {
  const judged = (leg: Leg, carried: readonly HostProperty[] = []) => ({ leg, carried, isProof: carried.length > 0 })
  if (!collection) return judged(failed('collection_leg_failed'))
  const places = listAt(collection, 'distribution')
    .filter(isObject)
    .filter((place) => publisherDomain(place.publisher_domain) === path.hostDomain)
  if (places.length === 0) return judged(failed('no_distribution_for_host'))
  if (!path.host) return judged(failed('host_manifest_not_found'))
  const naming = places.filter((place) => place.property_ids !== undefined)
  if (naming.length === 0) {
    const hasIdentifiers = places.some(({ identifiers }) => Array.isArray(identifiers) && identifiers.length > 0)
    return judged(hasIdentifiers ? OK : failed('property_ids_unresolved'))
  }
  const lists = naming.map((place) => idList(place.property_ids))
  const known = new Map(propertiesOf(path.host.properties, path).properties.map((each) => [each.id, each]))
  const carried = lists.flat().map((id) => (id === undefined ? undefined : known.get(id)))
  const found = carried.filter((each) => each !== undefined)
  return found.length === carried.length ? judged(OK, found) : judged(failed('property_ids_unresolved'))
}

/** Does the owner's file let the agent sell the collection? In a file that publishers share only an entry that names the owner does. */
export function judgeOwnerAgent(path: Path, collectionId: string | undefined): Leg {
  const { owner, agent, ownerDomain, ownerMustBeNamed } = path
  if (!owner) return failed('manifest_not_found')
  const covering = entriesOf(owner, agent).filter(
    (entry) =>
      isPropertyGrant(entry) &&
      (entry.collections === undefined ? !ownerMustBeNamed : coversCollection(entry.collections, { ownerDomain, collectionId })),
  )
  if (covering.some((entry) => !hasUnknownConstraint(entry))) return OK
  return failed(covering.length > 0 ? 'unsupported_constraints' : 'agent_not_declared_by_owner')
}
