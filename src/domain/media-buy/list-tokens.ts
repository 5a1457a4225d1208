import type { TargetingOverlay } from '../product/targeting-overlay.ts'

/** What becomes of a token; undefined: it is left out. */
type ChangeToken = (token: string) => string | undefined

/** A reference to a list (AdCP core/property-list-ref.json, core/collection-list-ref.json). */
interface ListRef {
  readonly agent_url?: unknown
  readonly list_id?: unknown
  readonly auth_token: string
}

/** An overlay with other tokens in its references to lists; the same object when it has none. */
export function withListTokens<T extends object>(overlay: T, change: ChangeToken): T {
  const references = Object.entries(overlay).flatMap(([name, value]) => (hasToken(value) ? [[name, value] as const] : []))
  if (references.length === 0) return overlay
  const changed = references.map(([name, { auth_token: before, ...reference }]) => {
    const token = change(before)
    return [name, token === undefined ? reference : { ...reference, auth_token: token }] as const
  })
  return { ...overlay, ...Object.fromEntries(changed) }
}

/** An overlay as answers show it, without the tokens of its lists: they are credentials. */
export function withoutListTokens<T extends object>(overlay: T): T {
  return withListTokens(overlay, () => undefined)
}

/**
 * A new overlay with the tokens of the one before, for each list that it names again without one: answers do not repeat tokens, so a buyer who sends
 * back what it read has none.
 */
export function withKnownListTokens(overlay: TargetingOverlay, before: TargetingOverlay | undefined): TargetingOverlay {
  if (!before) return overlay
  const entries = Object.entries(overlay).map(([name, value]): [string, unknown] => {
    const known: unknown = Reflect.get(before, name)
    return [name, hasToken(known) && isSameList(value, known) ? { ...known, ...value } : value]
  })
  const filled = entries.some(([name, value]) => value !== Reflect.get(overlay, name))
  return filled ? { ...overlay, ...Object.fromEntries(entries) } : overlay
}

/** A document with other tokens in every reference to a list, wherever it stands. */
export function withEveryListToken(value: unknown, change: ChangeToken): unknown {
  if (Array.isArray(value)) return value.map((each) => withEveryListToken(each, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name, withEveryListToken(member, change)])
  if (!('list_id' in value && 'agent_url' in value && 'auth_token' in value && typeof value.auth_token === 'string'))
    return Object.fromEntries(entries)
  const token = change(value.auth_token)
  const rest = entries.filter(([name]) => name !== 'auth_token')
  return Object.fromEntries(token === undefined ? rest : [...rest, ['auth_token', token]])
}

interface PackageWithOverlay {
  readonly targeting_overlay?: object | undefined
}

/** A request of create_media_buy or update_media_buy with other tokens in the overlays of its packages. */
export function requestWithListTokens<R extends object>(request: R, change: ChangeToken): R {
  const lists = ['packages', 'new_packages'].flatMap((name) => {
    const packages: unknown = Reflect.get(request, name)
    return Array.isArray(packages) ? [[name, packages.map((pkg: PackageWithOverlay) => packageWith(pkg, change))] as const] : []
  })
  return { ...request, ...Object.fromEntries(lists) }
}

function packageWith(pkg: PackageWithOverlay, change: ChangeToken): PackageWithOverlay {
  const { targeting_overlay: overlay } = pkg
  return overlay ? { ...pkg, targeting_overlay: withListTokens(overlay, change) } : pkg
}

function hasToken(value: unknown): value is ListRef {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'auth_token') === 'string'
}

function isSameList(value: unknown, known: ListRef): value is object {
  if (typeof value !== 'object' || value === null || 'auth_token' in value) return false
  return Reflect.get(value, 'agent_url') === known.agent_url && Reflect.get(value, 'list_id') === known.list_id
}
