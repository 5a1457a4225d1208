import type { Weekday } from '../../domain/calendar/time-units.ts'
import type { CoveredDays, Repeat } from '../../domain/notification/report-schedule.ts'

export interface SavedReportTables {
  /** Questions of the publisher's people about delivery, under names. */
  saved_reports: {
    tenant_id: string
    name: string
    /** What is asked, JSON. */
    document: string
    /** The person, as the audit log names them. */
    saved_by: string
    saved_at: string
  }
  /** When a saved report is sent by mail, and to whom. Hours and days are of the publisher's time zone. */
  report_schedules: {
    tenant_id: string
    report: string
    every: Repeat
    weekday: Weekday
    month_day: number
    hour: number
    covers: CoveredDays
    /** JSON array of ids of people. */
    people: string
    set_by: string
    set_at: string
    /** The moment of the sending that comes, or that is being made. */
    next_at: string
    /** When a process may make it: the moment itself, a later attempt, or the end of the claim of a process. */
    try_at: string
    /** Of the process that makes it. */
    claim: string | null
    /** Attempts that failed. */
    attempts: number
    last_sent_at: string | null
    /** Why the last sending failed; null: it did not. */
    last_error: string | null
    /** The moment of the sending that failed. */
    failed_at: string | null
  }
  /** A report as it was sent, for the messages that it is attached to. */
  report_files: {
    file_id: string
    tenant_id: string
    /** Name of the files without the ending. */
    name: string
    /** null: too large to be attached. */
    csv: string | null
    /** Base64; null: too large to be attached. */
    xlsx: string | null
    made_at: string
  }
}
