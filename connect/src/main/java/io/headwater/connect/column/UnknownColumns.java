package io.headwater.connect.column;

/** What a step does cannot be derived from what is known of the records. */
final class UnknownColumns extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownColumns() {
        super("", null, false, false);
    }
}
