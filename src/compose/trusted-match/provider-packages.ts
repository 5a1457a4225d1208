import { readFileSync } from 'node:fs'
import type { MatchPackageSettings, MatchProviderSettings } from '../../config/match-provider-settings.ts'
import type { ContextPackage } from '../../domain/trusted-match/context/offered-packages.ts'
import type { IdentityPackage } from '../../domain/trusted-match/identity/eligible-packages.ts'
import type { Identity } from '../../domain/trusted-match/identity/identity-messages.ts'
import { identityKey, tmpxIdentities } from '../../domain/trusted-match/identity/tmpx-plaintext.ts'
import { canonicalSeller, type MatchPackage } from '../../domain/trusted-match/match-package.ts'
import type { SyncedPackage } from '../../store/trusted-match/synced-packages.ts'

interface Named {
  readonly known: MatchPackage
  readonly rules: MatchPackageSettings | undefined
}

/** The packages of a provider: those that sellers synced, and those that its file names with a media buy. */
function packagesIn({ packages }: Pick<MatchProviderSettings, 'packages'>, synced: readonly SyncedPackage[]): readonly Named[] {
  const nameOf = (seller: string, packageId: string) => JSON.stringify([seller, packageId])
  const rules = new Map(
    packages.map((each) => [nameOf(canonicalSeller(each.sellerAgentUrl) ?? '', each.packageId), each] as const),
  )
  const known = new Map<string, MatchPackage>()
  for (const { packageId, sellerAgentUrl, mediaBuyId } of packages) {
    const seller = canonicalSeller(sellerAgentUrl) ?? ''
    if (mediaBuyId !== undefined) known.set(nameOf(seller, packageId), { packageId, mediaBuyId, sellerAgentUrl: seller })
  }
  for (const { seller, packageId, mediaBuyId } of synced)
    known.set(nameOf(seller, packageId), { packageId, mediaBuyId, sellerAgentUrl: seller })
  return [...known].flatMap(([name, each]) => {
    const own = rules.get(name)
    if (own?.active === false) return []
    const { startsAt, endsAt } = own ?? {}
    const flight = { ...(startsAt && { startsAt: utc(startsAt) }), ...(endsAt && { endsAt: utc(endsAt) }) }
    return [{ known: { ...each, ...flight }, rules: own }]
  })
}

/** Packages of the file that are not matched, because it gives them no media buy and their seller has not synced them. Their ids, each once. */
export function waitingPackages(
  { packages }: Pick<MatchProviderSettings, 'packages'>,
  synced: readonly Pick<SyncedPackage, 'seller' | 'packageId'>[],
): readonly string[] {
  const known = new Set(synced.map(({ seller, packageId }) => JSON.stringify([seller, packageId])))
  const waiting = packages.filter(
    ({ mediaBuyId, active, sellerAgentUrl, packageId }) =>
      mediaBuyId === undefined &&
      active !== false &&
      !known.has(JSON.stringify([canonicalSeller(sellerAgentUrl) ?? '', packageId])),
  )
  return [...new Set(waiting.map(({ packageId }) => packageId))]
}

/** Of packages that sellers synced those that the file has no rules for: they are offered in every context and to everybody. */
export function packagesWithoutRules(
  { packages }: Pick<MatchProviderSettings, 'packages'>,
  synced: readonly Pick<SyncedPackage, 'seller' | 'packageId'>[],
): readonly string[] {
  const named = new Set(
    packages.map(({ sellerAgentUrl, packageId }) => JSON.stringify([canonicalSeller(sellerAgentUrl) ?? '', packageId])),
  )
  return synced.flatMap(({ seller, packageId }) => (named.has(JSON.stringify([seller, packageId])) ? [] : packageId))
}

/** What the path of contexts knows of packages. */
export function contextPackagesIn(settings: MatchProviderSettings, synced: readonly SyncedPackage[]): readonly ContextPackage[] {
  return packagesIn(settings, synced).map(({ known, rules }) => ({ ...known, context: rules?.context ?? {} }))
}

/** What the path of users knows of packages. */
export function identityPackagesIn(
  settings: MatchProviderSettings,
  synced: readonly SyncedPackage[],
): readonly IdentityPackage[] {
  return packagesIn(settings, synced).map(({ known, rules: { user } = {} as Partial<MatchPackageSettings> }) => ({
    ...known,
    user: { capLabels: [], ...user },
  }))
}

/** Who is in which audience, read once. Throws for a file that is not there and for a line that is no member. */
export function audienceIndex(
  { audiences }: Pick<MatchProviderSettings, 'audiences'>,
  clock: () => Date,
): (identities: readonly Identity[], asked: readonly string[]) => Promise<ReadonlySet<string>> {
  const byKey = new Map<string, string[]>()
  const ends = new Map(audiences.map(({ id, expiresAt }) => [id, expiresAt === undefined ? undefined : Date.parse(expiresAt)]))
  for (const { id, members = [], file } of audiences) {
    const lines = file === undefined ? [] : readFileSync(file, 'utf8').split('\n')
    for (const line of [...members, ...lines].map((text) => text.trim()).filter((text) => text !== '')) {
      const at = line.indexOf(':')
      const [identity] = tmpxIdentities([{ uid_type: line.slice(0, at), user_token: line.slice(at + 1) }])
      if (at < 1 || !identity) throw new Error(`audience ${id} has a member that is not uid_type:token`)
      const key = identityKey(identity)
      byKey.set(key, [...(byKey.get(key) ?? []), id])
    }
  }
  return async (identities, asked) => {
    const now = clock().getTime()
    const isFresh = (id: string) => (ends.get(id) ?? Number.POSITIVE_INFINITY) > now
    const own = tmpxIdentities(identities).flatMap((identity) => byKey.get(identityKey(identity)) ?? [])
    return new Set(own.filter((id) => asked.includes(id) && isFresh(id)))
  }
}

function utc(time: string): string {
  return new Date(time).toISOString()
}
