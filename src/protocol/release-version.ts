/** A protocol version as a request names it. */
export interface ReleaseVersion {
  readonly major: number
  readonly minor: number
  /** The part after the hyphen of a pre-release. */
  readonly preRelease: string | undefined
}

const VERSION = /^(0|[1-9]\d{0,3})\.(\d{1,9})(?:\.\d{1,9})?(?:-([a-zA-Z0-9.-]{1,64}))?$/

/**
 * Reads an `adcp_version` such as `3.1`, `3.1-beta` or (from clients that send the patch too) `3.0.7`; undefined for text of another form (AdCP
 * core/version-envelope.json).
 */
export function parseVersion(version: string): ReleaseVersion | undefined {
  const [, major, minor, preRelease] = VERSION.exec(version) ?? []
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor), preRelease }
}

/** Whether a version is a pre-release from before a release candidate of its line, as `3.2-rc.0` and `3.2-beta` are before the first. */
export function isBeforeCandidate({ preRelease }: ReleaseVersion, candidate: number): boolean {
  if (preRelease === undefined) return false
  const [, number] = /^rc\.(\d{1,9})$/.exec(preRelease) ?? []
  return number === undefined || Number(number) < candidate
}

/** Whether a request names its release. Clients without a pin send nothing, null or an empty text. */
export function namesRelease(request: object): request is { readonly adcp_version: unknown } {
  const { adcp_version: version }: { adcp_version?: unknown } = request
  return version !== undefined && version !== null && version !== ''
}

/** Orders two release lines (`3.2` before `3.10`): negative when the first is the lower. */
export function compareLines(a: string, b: string): number {
  const [x, y] = [parseVersion(a), parseVersion(b)]
  return (x?.major ?? 0) - (y?.major ?? 0) || (x?.minor ?? 0) - (y?.minor ?? 0)
}
