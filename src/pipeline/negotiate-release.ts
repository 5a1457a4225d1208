import { AdcpError } from '../errors.ts'
import { releaseFor, supportedMajors } from '../protocol/releases.ts'
import type { Step } from './state.ts'

/** Refuses a protocol version that this server does not speak (AdCP versioning: `adcp_major_version`). */
export const negotiateRelease: Step = async (state, next) => {
  const { arguments: args } = state.call
  const declared = typeof args === 'object' && args !== null && 'adcp_major_version' in args ? args.adcp_major_version : undefined
  if (typeof declared === 'number' && !releaseFor(declared)) {
    throw new AdcpError('VERSION_UNSUPPORTED', `AdCP major version ${declared} is not served here`, {
      field: 'adcp_major_version',
      details: { supported_major_versions: supportedMajors() },
      suggestion: `declare one of: ${supportedMajors().join(', ')}`,
    })
  }
  return next(state)
}
