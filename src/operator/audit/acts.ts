import type { Act } from '../act.ts'
import {
  exportAuditLinks,
  exportDeploymentAudit,
  listAuditEntries,
  listDeploymentAudit,
  verifyAllAudit,
  verifyAudit,
} from './audit-acts.ts'

/** What can be done with the audit log, in the order of the help. */
export const auditActs: readonly Act[] = [
  listAuditEntries,
  listDeploymentAudit,
  exportAuditLinks,
  exportDeploymentAudit,
  verifyAudit,
  verifyAllAudit,
]
