import type { MatchProviderSettings } from '../../config/match-provider-settings.ts'
import { type Finding, ok, problem, warning } from '../../features/doctor/finding.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { openStore, type StorePlace, storeExists } from '../../store/open.ts'
import { listSyncedPackages } from '../../store/trusted-match/synced-packages.ts'
import { OWN_TENANT, providerFetch } from './match-provider.ts'
import { packagesWithoutRules, waitingPackages } from './provider-packages.ts'
import { routerKeyLoader } from './router-key-loader.ts'

const CHECK = 'match provider'

/** What keeps a provider of Trusted Match that runs alone from matching: keys of routers, and packages that nobody has synced. Changes nothing. */
export async function examineMatchProvider(
  settings: MatchProviderSettings,
  {
    schemas,
    place,
    fetch = providerFetch(settings),
  }: { readonly schemas: Schemas; readonly place: StorePlace; readonly fetch?: SafeFetch },
): Promise<readonly Finding[]> {
  return [await examineKeys(settings, fetch, schemas), await examinePackages(settings, place)]
}

async function examineKeys(
  { routers, development }: MatchProviderSettings,
  fetch: SafeFetch,
  schemas: Schemas,
): Promise<Finding> {
  const advice = `name the address under which the router serves /.well-known/agent-signing-key.json, or its key, in routers[]${
    development ? '' : '; addresses of this machine need development: true in the file'
  }`
  try {
    const keys = await routerKeyLoader(routers, fetch, schemas)()
    if (keys.length === 0) return problem(CHECK, 'no router has a key, so that every request is refused', advice)
    return ok(CHECK, `keys of routers: ${keys.map(({ kid }) => kid).join(', ')}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given'
    return problem(CHECK, `the keys of a router cannot be read: ${reason}`, advice)
  }
}

async function examinePackages(settings: MatchProviderSettings, place: StorePlace): Promise<Finding> {
  const synced = await syncedIn(place)
  const waiting = waitingPackages(settings, synced)
  if (waiting.length > 0) return warning(CHECK, `not matched: ${waiting.join(', ')}`, WAITING_ADVICE)
  const known = settings.packages.length + synced.length
  if (known === 0) return warning(CHECK, 'there are no packages', 'name them in the file, or let a seller sync them')
  const withoutRules = packagesWithoutRules(settings, synced).length
  const free = withoutRules === 0 ? '' : `, ${withoutRules} of them without rules: offered in every context and to everybody`
  return ok(CHECK, `${settings.packages.length} packages in the file, ${synced.length} synced by sellers${free}`)
}

/** What to do about packages that wait. */
export const WAITING_ADVICE = 'let their seller sync them (POST …/packages), or give each its mediaBuyId in the file'

async function syncedIn(place: StorePlace) {
  if (!(await storeExists(place))) return []
  const store = await openStore(place, { create: false, migrate: false })
  try {
    return await listSyncedPackages(store.read, OWN_TENANT)
  } finally {
    await store.close()
  }
}
