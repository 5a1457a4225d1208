import { type Finding, ok, warning } from './finding.ts'

/** Whether all releases that this server can speak are there. `advice` says how to add the missing ones. */
export function examineReleases(patches: readonly string[], missing: readonly string[], advice: string): Finding {
  const served = `AdCP ${patches.join(', ')}`
  if (missing.length === 0) return ok('releases', served)
  return warning(
    'releases',
    `${served}; ${missing.join(' and ')} missing: buyers of ${missing.join(' and ')} are answered in an older release`,
    advice,
  )
}
