import { AdcpError } from '../../protocol/errors.ts'
import { majorOf, releaseFor, supportedMajors, supportedVersions } from '../../protocol/releases.ts'
import type { Step } from '../state.ts'

/** The two ways in which a request names its protocol version (AdCP core/version-envelope.json). */
type VersionField = 'adcp_version' | 'adcp_major_version'

/**
 * Refuses a protocol version of another major than those that are served, on every task. A newer release of a served major is
 * answered by the newest release here that is not above it. Each field that is there is judged: clients send both.
 */
export const negotiateRelease: Step = async (state, next) => {
  const { arguments: args } = state.call
  if (typeof args === 'object' && args !== null) {
    if ('adcp_version' in args) checkVersion(args.adcp_version)
    if ('adcp_major_version' in args) checkMajor(args.adcp_major_version)
  }
  return next(state)
}

function checkVersion(version: unknown): void {
  // Clients without a pin send nothing, null or an empty text.
  if (version === undefined || version === null || version === '') return
  const major = typeof version === 'string' ? majorOf(version) : undefined
  if (major === undefined) throw unsupported('adcp_version', 'adcp_version must be a release such as "3.0"')
  if (!releaseFor(major)) throw unsupported('adcp_version', `AdCP ${major}.x is not served here`)
}

/** What is no number is refused by the schema of the task. */
function checkMajor(major: unknown): void {
  if (typeof major !== 'number' || releaseFor(major)) return
  throw unsupported('adcp_major_version', `AdCP major version ${major} is not served here`)
}

function unsupported(field: VersionField, fault: string): AdcpError {
  const versions = supportedVersions()
  const allowed = field === 'adcp_version' ? versions.map((version) => `"${version}"`) : supportedMajors()
  return new AdcpError('VERSION_UNSUPPORTED', `${fault}; send ${field} ${allowed.join(' or ')}, or leave it out`, {
    field,
    details: { supported_major_versions: supportedMajors(), supported_versions: versions },
    suggestion: `declare one of: ${allowed.join(', ')}`,
  })
}
