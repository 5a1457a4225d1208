import type { AuthScheme } from '../../domain/auth-scheme.ts'
import type { DeliveryState } from '../../domain/delivery-state.ts'
import type { AttemptSubject } from '../../domain/webhook/webhook-attempt.ts'

export interface OutboxTables {
  /** Webhooks to deliver: written in the transaction of what they tell, sent by the dispatcher. */
  webhook_outbox: {
    delivery_id: string
    tenant_id: string
    principal_id: string
    endpoint_id: string
    /** Buyer and origin of the URL: what the breaker and the share of attempts go by. */
    endpoint_key: string
    /** Deliveries of one key go out one after the other, by position. */
    ordering_key: string
    position: number
    /** 1 while it is pending and an earlier one of its ordering key is: it may not be claimed. */
    held: number
    /** What happened, for lists, e.g. task type and status. */
    event: string
    idempotency_key: string
    /** The JSON that every attempt sends, but for the buyer's token. */
    body: string
    state: DeliveryState
    attempts: number
    /** When it may be claimed: the next try, or, while it is leased, the end of the lease. */
    next_attempt_at: string
    /** Token of the process that is sending it now. */
    lease: string | null
    last_status: number | null
    last_error: string | null
    created_at: string
    settled_at: string | null
  }
}

export interface BreakerTables {
  /** Endpoints whose last attempts failed. No row: the last one succeeded. */
  webhook_breakers: {
    endpoint_key: string
    /** In a row. */
    failures: number
    /** Nothing is sent before; empty while the breaker is closed. */
    open_until: string
  }
}

export interface ScheduledEventTables {
  /** Times at which a notification may be due: nothing polls the media buys themselves. */
  scheduled_events: {
    event_id: string
    tenant_id: string
    principal_id: string
    kind: ScheduledKind
    /** The media buy, the creative or the account; of an activation its task. */
    subject_id: string
    /** The recipient; empty where the event itself is the work. */
    endpoint_id: string
    due_at: string
    /** What was sent last, as JSON. */
    state: string
    revision: number
  }
}

/**
 * `status`: a media buy may change its status by the clock or by what happened to it; `report`: a delivery report is due;
 * `creative`: a creative waits for its review; `account`: an account may change its
 * status; `activation`: a signal should be live at its destinations, whether somebody follows that or not; `list`: a list may
 * resolve to something else.
 */
export type ScheduledKind = 'status' | 'report' | 'creative' | 'account' | 'activation' | 'list'

export interface WebhookAttemptTables {
  /** Attempts to send webhooks about media buys and creatives, for the buyers that they went to. */
  webhook_attempts: {
    attempt_id: string
    tenant_id: string
    principal_id: string
    subject_kind: AttemptSubject['kind']
    subject_id: string
    idempotency_key: string
    notification_type: string
    subscriber_id: string | null
    sequence_number: number | null
    attempt: number
    fired_at: string
    completed_at: string
    url: string
    http_status: number | null
    timed_out: number
    bytes: number | null
  }
}

export interface WebhookEndpointTables {
  /** Where a buyer receives notifications: one row a registration. Secrets are sealed and never read back to a caller. */
  webhook_endpoints: {
    endpoint_id: string
    tenant_id: string
    principal_id: string
    kind: EndpointKind
    /** The task whose request registered it, or the list that it follows. */
    task_id: string
    task_type: string
    /** The media buy that it follows, once there is one. */
    media_buy_id: string | null
    /** Without its query. */
    url: string
    /** Sealed: what follows the `?`. */
    query: string | null
    /** 1 when a sandbox buyer registered it: plain HTTP to this machine is allowed while the server is a sandbox. */
    loopback: number
    /** Legacy authentication; null means RFC 9421 signatures. */
    scheme: AuthScheme | null
    /** Sealed. */
    credentials: string | null
    /** Sealed. */
    token: string | null
    /** {@link EndpointSettings} as JSON. */
    settings: string
    created_at: string
    /** When nothing more can happen to what it follows. */
    ended_at: string | null
  }
}

/** `push`: status changes (push_notification_config); `reporting`: delivery reports (reporting_webhook); `list`: changes of a list; `revocation`: of rights; `account`: events of an account; `agent`: of this agent. */
export type EndpointKind = 'push' | 'reporting' | 'list' | 'revocation' | 'account' | 'agent'
