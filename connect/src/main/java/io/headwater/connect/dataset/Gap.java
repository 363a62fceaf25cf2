package io.headwater.connect.dataset;

import java.util.Objects;

/** Something of a connector's lineage that is not known, in one sentence. */
public final class Gap {
    /** What it is about: input, output, operator or other. */
    public final String kind;
    public final String name;
    public final String description;

    public Gap(String kind, String name, String description) {
        this.kind = kind;
        this.name = name;
        this.description = description;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Gap
            && kind.equals(((Gap) other).kind)
            && name.equals(((Gap) other).name)
            && description.equals(((Gap) other).description);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, name, description);
    }

    @Override
    public String toString() {
        return "[" + kind + ", " + name + "]";
    }
}
