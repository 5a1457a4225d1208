/**
 * What an answer is about, for the audit log: the order, else the task that it opened. Both are made by this server; ids of the caller's making stay out
 * of the log.
 */
export function auditSubject({ media_buy_id: order, task_id: task }: Readonly<Record<string, unknown>>): {
  readonly subject?: string
} {
  const subject = [order, task].find((id) => typeof id === 'string')
  return subject === undefined ? {} : { subject }
}
