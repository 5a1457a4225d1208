import type { Act } from '../act.ts'
import { listCertificates, pinCertificate, unpinCertificate } from './pin-certificate.ts'

/** What can be done with client certificates of buyers, in the order of the help. */
export const certificateActs: readonly Act[] = [pinCertificate, listCertificates, unpinCertificate]
