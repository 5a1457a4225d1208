import type { Storyboard } from '@adcp/sdk/testing'

/** The part of the suite's module that selection uses; passed in because the suite is imported after the clock is shifted. */
export type Suite = Pick<
  typeof import('@adcp/sdk/testing'),
  'listAllComplianceStoryboards' | 'resolveStoryboardsForCapabilities' | 'resolveBundleOrStoryboard'
>

/** What an agent declares in `get_adcp_capabilities`, as far as it decides which storyboards apply. */
export interface Declared {
  readonly supportedProtocols: readonly string[]
  readonly specialisms: readonly string[]
  readonly majorVersions: readonly number[]
}

/** Storyboards in the order in which they run, and those that the agent's declarations leave out. */
export interface Selection {
  readonly run: readonly Storyboard[]
  readonly notDeclared: readonly Storyboard[]
}

/** Reads the declarations out of a capabilities payload; whatever is missing or malformed counts as not declared. */
export function declaredIn(capabilities: unknown): Declared {
  const root = isRecord(capabilities) ? capabilities : {}
  const adcp = isRecord(root.adcp) ? root.adcp : {}
  const majors = Array.isArray(adcp.major_versions) ? adcp.major_versions : []
  return {
    supportedProtocols: strings(root.supported_protocols),
    specialisms: strings(root.specialisms),
    majorVersions: majors.filter((major): major is number => typeof major === 'number'),
  }
}

/**
 * Chooses as the official `comply()` does: universal storyboards, then the bundle of each declared protocol and specialism, each with the
 * scenarios it requires. With `only`, exactly those storyboards or bundles.
 * @throws Error when an id of `only` is unknown, or when a declared specialism lacks its protocol
 */
export function selectStoryboards(suite: Suite, declared: Declared, only: readonly string[] = []): Selection {
  const all = suite.listAllComplianceStoryboards()
  if (only.length > 0) return { run: named(suite, all, only), notDeclared: [] }
  const resolved = suite.resolveStoryboardsForCapabilities({
    supported_protocols: [...declared.supportedProtocols],
    specialisms: [...declared.specialisms],
    ...(declared.majorVersions.length > 0 && { major_versions: [...declared.majorVersions] }),
  })
  const run = withRequiredScenarios(resolved.storyboards, all)
  const chosen = new Set(run.map(({ id }) => id))
  return { run, notDeclared: all.filter(({ id }) => !chosen.has(id)) }
}

function named(suite: Suite, all: readonly Storyboard[], only: readonly string[]): Storyboard[] {
  const wanted = new Set<string>()
  for (const id of only) {
    const found = all.some((storyboard) => storyboard.id === id)
      ? [id]
      : suite.resolveBundleOrStoryboard(id).map((found) => found.id)
    if (found.length === 0) throw new Error(`--only: no storyboard or bundle is called "${id}"`)
    for (const each of found) wanted.add(each)
  }
  return all.filter(({ id }) => wanted.has(id))
}

function withRequiredScenarios(storyboards: readonly Storyboard[], all: readonly Storyboard[]): Storyboard[] {
  const seen = new Set(storyboards.map(({ id }) => id))
  return storyboards.flatMap((storyboard) => {
    const missing = (storyboard.requires_scenarios ?? []).filter((id) => !seen.has(id))
    for (const id of missing) seen.add(id)
    return [...all.filter(({ id }) => missing.includes(id)), storyboard]
  })
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
