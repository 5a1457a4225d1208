import { publisherDomain } from '../publisher-domain.ts'
import { combinePartners, partnerFiles } from './partner-files.ts'
import type { HostProperty } from './read-manifest.ts'
import { failed, type Leg, OK, type Path } from './types.ts'

/** Does the host name the owner as an inventory partner in the files that hold for the properties in question? */
export function judgePartner({ partners, ownerDomain }: Path, carried: readonly HostProperty[]): Leg {
  if (!partners.evaluated) return failed('not_evaluated')
  const { files, requireAll } = partnerFiles(carried)
  const { byFile } = partners
  const named = byFile
    ? combinePartners(
        files.map((file) => byFile[file] ?? null),
        requireAll,
      )
    : partners.combined
  if (named === null) return failed('ads_txt_unavailable')
  return named.some((domain) => publisherDomain(domain) === ownerDomain) ? OK : failed('not_declared')
}
