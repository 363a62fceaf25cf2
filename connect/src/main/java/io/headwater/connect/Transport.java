package io.headwater.connect;

import java.io.IOException;

/** A way for events to their server. */
interface Transport {
    /** Sends one event and waits until it is taken. */
    void send(String key, byte[] event) throws IOException, Refused;

    void close();

    /** The event will not be taken, however often it is sent. */
    final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }
}
